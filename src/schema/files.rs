//! Which SQL files define a database, which folder they belong to, in what order they run, and which part of each counts.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

/// An SQL file that defines tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition<'n> {
    /// The folder whose packages use the database.
    pub root: &'n str,
    /// The folder of the migrations, or the schema file itself: what was read into one schema.
    pub place: &'n str,
    /// What orders the files of one place.
    pub order: &'n str,
}

const MIGRATION_FOLDERS: &[&str] = &["migrations", "migration", "migrate", "docker-entrypoint-initdb.d", "initdb"];
const SCHEMA_FOLDERS: &[&str] = &["schema", "schemas", "ddl", "sql", "db", "database"];
/// Folders whose SQL says nothing of the database that the program runs on.
const OTHER_FOLDERS: &[&str] =
    &["fixtures", "queries", "query", "seeds", "seed", "testdata", "benches", "examples", "snapshots"];

/// How the file named `name` (with `/`) takes part; nothing if it does not. `exists` knows the names of all files.
pub(super) fn definition<'n>(name: &'n str, text: &str, exists: &dyn Fn(&str) -> bool) -> Option<Definition<'n>> {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    if is_reverse(name, file, exists) {
        return None;
    }
    if let Some(at) = migrations_folder(folder) {
        return Some(migration(name, folder, file, at));
    }
    let parts = || folder.split('/');
    let defines = creates_tables(text) && !parts().any(|part| OTHER_FOLDERS.contains(&part));
    defines.then(|| {
        let inside = parts().next_back().is_some_and(|part| SCHEMA_FOLDERS.contains(&part));
        let root = if inside { folder.rsplit_once('/').map_or("", |(root, _)| root) } else { folder };
        // Numbered files beside each other are one database, in order; others are dumps of their own.
        let numbered = file.trim_start_matches(['V', 'v']).starts_with(|c: char| c.is_ascii_digit());
        Definition { root: outside_src(root), place: if numbered { folder } else { name }, order: file }
    })
}

/// What orders a file below a place that is known to hold a schema, or that is the file; nothing if it takes a migration back.
pub(super) fn inside_of<'n>(place: &str, name: &'n str, exists: &dyn Fn(&str) -> bool) -> Option<&'n str> {
    let file = name.rsplit_once('/').map_or(name, |(_, file)| file);
    let rest = if place.is_empty() { name } else { name.strip_prefix(place)? };
    let inside = place.is_empty() || rest.is_empty() || rest.starts_with('/');
    (inside && !is_reverse(name, file, exists)).then(|| rest.trim_start_matches('/'))
}

/// Where migrations that are written in Rust belong: the folder whose packages use the database, and that of the migrations; nothing if they lie where
/// other code does.
pub(super) fn rust_migrations(name: &str) -> Option<(&str, &str)> {
    let (folder, _) = name.rsplit_once('/')?;
    let end = migrations_folder(folder)?;
    Some((root_of(folder, end), &folder[..end]))
}

/// The package of a folder inside its `src`.
fn outside_src(folder: &str) -> &str {
    match folder.find("/src/") {
        Some(end) => &folder[..end],
        None if folder == "src" || folder.starts_with("src/") => "",
        None => folder.strip_suffix("/src").unwrap_or(folder),
    }
}

/// The end of the last folder of the path that is named like a place for migrations.
fn migrations_folder(folder: &str) -> Option<usize> {
    let mut end = 0;
    let mut found = None;
    for part in folder.split('/') {
        end += part.len();
        if MIGRATION_FOLDERS.contains(&part) || part.ends_with("_migrations") || part.ends_with("-migrations") {
            found = Some(end);
        }
        end += 1;
    }
    found
}

fn migration<'n>(name: &'n str, folder: &'n str, file: &'n str, end: usize) -> Definition<'n> {
    let root = root_of(folder, end);
    // diesel keeps each migration in a folder of its own.
    if file == "up.sql" {
        let (place, _) = folder.rsplit_once('/').unwrap_or(("", folder));
        let order = name.get(place.len()..).unwrap_or(name).trim_start_matches('/');
        return Definition { root, place, order };
    }
    let numbered = file.trim_start_matches(['V', 'v', 'R', 'U']).starts_with(|c: char| c.is_ascii_digit());
    let dump = !numbered && ["schema.sql", "structure.sql"].contains(&file);
    Definition { root, place: if dump { name } else { folder }, order: file }
}

/// The folder whose packages use the migrations in the folder that ends there.
fn root_of(folder: &str, end: usize) -> &str {
    let before = folder[..end].rsplit_once('/').map_or("", |(before, _)| before);
    // `db/migrations` belongs to what `db` stands in.
    let root = match before.rsplit_once('/') {
        Some((root, last)) if SCHEMA_FOLDERS.contains(&last) => root,
        None if SCHEMA_FOLDERS.contains(&before) => "",
        _ => before,
    };
    outside_src(root)
}

/// Files that take a migration back.
fn is_reverse(name: &str, file: &str, exists: &dyn Fn(&str) -> bool) -> bool {
    let stem = file.strip_suffix(".sql").unwrap_or(file);
    let undo = stem.starts_with('U') && stem[1..].starts_with(|c: char| c.is_ascii_digit()) && stem.contains("__");
    let paired = |end: &str| {
        name.strip_suffix(end).is_some_and(|start| exists(&format!("{start}{}", end.replace("down", "up"))))
    };
    undo || matches!(stem, "down" | "rollback") || stem.ends_with(".down") || paired("_down.sql") || paired("-down.sql")
}

fn creates_tables(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("create").any(|(at, word)| {
        let mut words = lower[at + word.len()..].split_ascii_whitespace();
        words.next() == Some("table")
    })
}

/// Orders file names as their tools do: numbers by value, repeatable migrations (`R__`) last.
pub(super) fn by_version(one: &str, other: &str) -> Ordering {
    let repeatable = |name: &str| name.starts_with("R__");
    repeatable(one).cmp(&repeatable(other)).then_with(|| natural(one, other)).then_with(|| one.cmp(other))
}

fn natural(one: &str, other: &str) -> Ordering {
    let (whole, other_whole) = (version(one), version(other));
    let (mut one, mut other) = (whole.as_ref(), other_whole.as_ref());
    loop {
        let (left, right) = (chunk(one), chunk(other));
        let order = match (left.parse::<u128>(), right.parse::<u128>()) {
            (Ok(left), Ok(right)) => left.cmp(&right),
            _ => left.cmp(right),
        };
        if order != Ordering::Equal || left.is_empty() {
            return order;
        }
        (one, other) = (&one[left.len()..], &other[right.len()..]);
    }
}

/// The name without the `V` before its version. A date may be written with dashes, and stands among those without: `2017-10-08-193512` follows
/// `20140924113530`.
fn version(name: &str) -> Cow<'_, str> {
    let rest = name.strip_prefix(['V', 'v']).unwrap_or(name);
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return Cow::Borrowed(name);
    }
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    let (date, name) = rest.split_at(end);
    let parts: Vec<usize> = date.split('-').map(str::len).collect();
    if parts.starts_with(&[4, 2, 2]) { Cow::Owned(date.replace('-', "") + name) } else { Cow::Borrowed(rest) }
}

/// The digits, or what is none, that `text` starts with.
fn chunk(text: &str) -> &str {
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| c.is_ascii_digit() != digit).unwrap_or(text.len());
    &text[..end]
}

/// The text with everything blanked that is no statement of the way up: the down half, data, commands of a client. Bytes keep their places.
pub(super) fn up_half(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in left_out(text) {
        bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(bytes).expect("whole characters were replaced by ASCII")
}

/// What a line says to the tool that runs the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Up,
    Down,
    /// `COPY … FROM stdin;`: data follows up to `\.`.
    Data,
    /// `DELIMITER x`: statements end with `x` from here on.
    Delimiter {
        plain: bool,
    },
    /// A line for psql or mysql alone.
    Client,
}

fn left_out(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut down, mut data, mut routines) = (false, false, None);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let words = line.trim();
        if data {
            data = words != "\\.";
            ranges.push(range);
            continue;
        }
        match mark(words) {
            Some(Mark::Up) => down = false,
            Some(Mark::Down) => down = true,
            Some(Mark::Data) => data = true,
            Some(Mark::Delimiter { plain: false }) => routines = Some(range.start),
            Some(Mark::Delimiter { plain: true }) => {
                ranges.extend(routines.take().map(|start| routine_bodies(text, start..range.end)).unwrap_or_default());
            }
            Some(Mark::Client) => ranges.push(range.clone()),
            None => {}
        }
        if down {
            ranges.push(range);
        }
    }
    ranges.extend(routines.map(|start| routine_bodies(text, start..text.len())).unwrap_or_default());
    ranges
}

/// Between two DELIMITER lines stand routines. All that counts of them is which table a trigger is on, up to its `FOR EACH ROW`; the last byte before the
/// next one stays, which is a `;` after DELIMITER was set back.
fn routine_bodies(text: &str, region: Range<usize>) -> Vec<Range<usize>> {
    let lower = text[region.clone()].to_ascii_lowercase();
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(start) = lower[at..].find("create trigger").map(|start| at + start) {
        let Some(end) = lower[start..].find("for each").map(|end| start + end) else { break };
        ranges.push(region.start + at..region.start + start);
        at = end;
        // A body has a `;` of its own, which ends the statement for us.
        match lower[end..].find(';') {
            Some(first) => {
                ranges.push(region.start + end..region.start + end + first);
                at = end + first + 1;
            }
            None => break,
        }
    }
    ranges.push(region.start + at..region.end);
    ranges
}

fn mark(line: &str) -> Option<Mark> {
    if line.starts_with('\\') {
        return Some(Mark::Client);
    }
    if let Some(comment) = line.strip_prefix("--") {
        let comment = comment.trim().to_ascii_lowercase();
        let said = comment
            .strip_prefix("migrate:")
            .or_else(|| comment.strip_prefix("+goose "))
            .or_else(|| comment.strip_prefix("+migrate "));
        return match said.and_then(|said| said.split_whitespace().next()) {
            Some("up") => Some(Mark::Up),
            Some("down") => Some(Mark::Down),
            _ if comment.starts_with("//@undo") => Some(Mark::Down),
            _ => None,
        };
    }
    let lower = line.to_ascii_lowercase();
    if let Some(end) = lower.strip_prefix("delimiter ") {
        return Some(Mark::Delimiter { plain: end.trim() == ";" });
    }
    (lower.starts_with("copy ") && lower.ends_with("from stdin;")).then_some(Mark::Data)
}
