//! What discovery reads, passes over and lists, on folders made for each test.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use racelint::discover::{Database, Error, Inventory, Overlay, Request, discover};
use racelint::resolve::CrateRole;
use racelint::resolve::layout::DependsOn;

struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        for (name, text) in files {
            place.write(name, text.as_bytes());
        }
        place
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn look(&self, paths: &[&str]) -> Inventory {
        discover(&Request::new(self.0.path(), paths.iter().map(PathBuf::from).collect())).unwrap()
    }
}

fn names(inventory: &Inventory) -> Vec<&str> {
    inventory.sources.iter().map(|(_, source)| source.name.as_str()).collect()
}

fn reported(inventory: &Inventory) -> Vec<&str> {
    inventory.sources.iter().filter(|(_, source)| source.reported).map(|(_, source)| source.name.as_str()).collect()
}

fn skipped(inventory: &Inventory) -> Vec<(&str, &str)> {
    inventory.skipped.iter().map(|skipped| (skipped.file.as_str(), skipped.reason.as_str())).collect()
}

const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a build tool\n";

#[test]
fn build_output_and_vendored_crates_are_known_by_their_marks_not_their_names() {
    let place = Place::new(&[
        ("Cargo.toml", "[package]\nname = 'depot'\nedition = '2024'\n"),
        ("src/lib.rs", ""),
        ("src/target/mod.rs", ""),
        ("src/vendor/prices.rs", ""),
        ("out/CACHEDIR.TAG", TAG),
        ("out/debug/build/generated.rs", ""),
        ("notes/CACHEDIR.TAG", "not the signature"),
        ("notes/kept.rs", ""),
        ("third_party/left-pad/.cargo-checksum.json", "{}"),
        ("third_party/left-pad/src/lib.rs", ""),
        (".hidden/secret.rs", ""),
    ]);
    assert_eq!(
        names(&place.look(&["."])),
        ["notes/kept.rs", "src/lib.rs", "src/target/mod.rs", "src/vendor/prices.rs"]
    );
}

#[test]
fn a_given_folder_is_read_whatever_it_is_called_or_marked() {
    let place = Place::new(&[(".trial/CACHEDIR.TAG", TAG), (".trial/a.rs", "")]);
    assert_eq!(names(&place.look(&[".trial"])), [".trial/a.rs"]);
}

#[test]
fn gitignore_counts_nested_and_without_a_repository() {
    let place = Place::new(&[
        (".gitignore", "*.gen.rs\n/dist\n"),
        ("src/lib.rs", ""),
        ("src/schema.gen.rs", ""),
        ("dist/a.rs", ""),
        ("src/dist/b.rs", ""),
        ("tools/.gitignore", "scratch.rs\n!kept.gen.rs\n"),
        ("tools/scratch.rs", ""),
        ("tools/kept.gen.rs", ""),
        (".git/info/exclude", "private.rs\n"),
        ("src/private.rs", ""),
        (".ignore", "src/lib.rs\n"),
    ]);
    assert_eq!(names(&place.look(&["."])), ["src/dist/b.rs", "src/lib.rs", "tools/kept.gen.rs"]);
}

#[test]
fn a_gitignore_above_the_folder_counts_only_inside_a_repository() {
    let home = Place::new(&[(".gitignore", "*\n"), ("work/lib.rs", "")]);
    assert_eq!(names(&home.look(&["work"])), ["work/lib.rs"]);
    let repository =
        Place::new(&[(".gitignore", "*.gen.rs\n"), (".git/HEAD", ""), ("work/lib.rs", ""), ("work/a.gen.rs", "")]);
    assert_eq!(names(&repository.look(&["work"])), ["work/lib.rs"]);
}

#[test]
fn what_cannot_be_read_is_listed_with_its_reason() {
    let place = Place::new(&[("src/lib.rs", "fn a() {}")]);
    place.write("src/latin.rs", b"// caf\xe9");
    place.write("src/wide.rs", b"\xff\xfef\0n\0");
    place.write("src/huge.rs", &vec![b' '; 4 * 1024 * 1024 + 1]);
    place.write("seed.sql", &vec![b'-'; 4 * 1024 * 1024 + 1]);
    let inventory = place.look(&["."]);
    assert_eq!(names(&inventory), ["src/lib.rs"]);
    assert_eq!(
        skipped(&inventory),
        [
            ("seed.sql", "larger than 4 MB"),
            ("src/huge.rs", "larger than 4 MB"),
            ("src/latin.rs", "not UTF-8 at byte 6"),
            ("src/wide.rs", "UTF-16 (little endian), not UTF-8"),
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_and_fifos_are_listed_and_never_opened() {
    let place = Place::new(&[("src/lib.rs", ""), ("elsewhere/other.rs", "")]);
    std::os::unix::fs::symlink("../elsewhere/other.rs", place.path("src/linked.rs")).unwrap();
    std::os::unix::fs::symlink("..", place.path("src/loop")).unwrap();
    for fifo in ["src/pipe.rs", "elsewhere/CACHEDIR.TAG"] {
        assert!(Command::new("mkfifo").arg(place.path(fifo)).status().unwrap().success());
    }
    let inventory = place.look(&["."]);
    assert_eq!(names(&inventory), ["elsewhere/other.rs", "src/lib.rs"]);
    assert_eq!(
        skipped(&inventory),
        [("src/linked.rs", "a symbolic link, not followed"), ("src/pipe.rs", "not a regular file")]
    );
    assert_eq!(skipped(&place.look(&["src/pipe.rs"])), [("src/pipe.rs", "not a regular file")]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read_is_listed() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&[("src/lib.rs", ""), ("data/inner.rs", "")]);
    let closed = place.path("data");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let refused = fs::read_dir(&closed).is_err();
    let inventory = place.look(&["."]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    // A superuser may read everything.
    if refused {
        assert_eq!(skipped(&inventory), [("data", "permission denied")]);
    } else {
        assert_eq!(names(&inventory), ["data/inner.rs", "src/lib.rs"]);
    }
}

#[test]
fn a_path_that_does_not_exist_is_an_error() {
    let place = Place::new(&[("src/lib.rs", "")]);
    let error = discover(&Request::new(place.0.path(), vec!["src/gone.rs".into()])).unwrap_err();
    assert!(matches!(&error, Error::NoSuchPath(path) if path.ends_with("src/gone.rs")), "{error}");
}

fn shop() -> Place {
    Place::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['crates/*']\nexclude = ['crates/legacy']\n[workspace.package]\nedition = '2018'\n\
             [workspace.dependencies]\nstock = { path = 'crates/stock', package = 'shop-stock' }\nsqlx = '0.8'\n",
        ),
        (
            "crates/api/Cargo.toml",
            "[package]\nname = 'shop-api'\nedition.workspace = true\n[dependencies]\nstock.workspace = true\nsqlx.workspace = true\n\
             db = { package = 'rusqlite', version = '0.3' }\n[lib]\npath = 'lib/api.rs'\n[[bin]]\nname = 'serve-all'\npath = 'cmd/serve.rs'\n",
        ),
        ("crates/api/lib/api.rs", "mod routes;"),
        ("crates/api/lib/routes.rs", ""),
        ("crates/api/cmd/serve.rs", ""),
        ("crates/api/tests/flow.rs", ""),
        ("crates/api/tests/common/mod.rs", ""),
        ("crates/api/build.rs", ""),
        (
            "crates/stock/Cargo.toml",
            "[package]\nname = 'shop-stock'\nedition = '2024'\n[dependencies]\nbase = { path = '../base' }\n",
        ),
        ("crates/stock/src/lib.rs", ""),
        ("crates/stock/src/bin/sweep/main.rs", ""),
        ("crates/base/Cargo.toml", "[package]\nname = 'base'\n"),
        ("crates/base/src/lib.rs", ""),
        ("crates/base/src/main.rs", ""),
        ("crates/mailer/Cargo.toml", "[package]\nname = 'mailer'\n"),
        ("crates/mailer/src/lib.rs", ""),
        ("migrations/0001_stock.sql", "create table stock (id int);"),
    ])
}

#[test]
fn a_file_brings_its_package_the_packages_it_depends_on_and_the_sql_of_the_workspace() {
    let inventory = shop().look(&["crates/api/lib/routes.rs"]);
    assert_eq!(reported(&inventory), ["crates/api/lib/routes.rs"]);
    assert_eq!(
        names(&inventory),
        [
            "crates/api/build.rs",
            "crates/api/cmd/serve.rs",
            "crates/api/lib/api.rs",
            "crates/api/lib/routes.rs",
            "crates/api/tests/common/mod.rs",
            "crates/api/tests/flow.rs",
            "crates/base/src/lib.rs",
            "crates/base/src/main.rs",
            "crates/stock/src/bin/sweep/main.rs",
            "crates/stock/src/lib.rs",
            "migrations/0001_stock.sql",
        ]
    );
}

#[test]
fn the_layout_says_what_the_manifests_say() {
    let inventory = shop().look(&["."]);
    let names: Vec<_> = inventory.layout.packages.iter().map(|p| (p.name.as_str(), p.edition)).collect();
    assert_eq!(names, [("shop-api", 2018), ("base", 2021), ("mailer", 2021), ("shop-stock", 2024)]);
    let api = &inventory.layout.packages[0];
    let roots: Vec<_> = api
        .targets
        .iter()
        .map(|target| (target.name.as_str(), target.role, inventory.sources.get(target.root).name.as_str()))
        .collect();
    assert_eq!(
        roots,
        [
            ("shop_api", CrateRole::Library, "crates/api/lib/api.rs"),
            ("serve_all", CrateRole::Binary, "crates/api/cmd/serve.rs"),
            ("flow", CrateRole::Test, "crates/api/tests/flow.rs"),
            ("build_script_build", CrateRole::BuildScript, "crates/api/build.rs"),
        ]
    );
    let mut dependencies: Vec<_> = api.dependencies.iter().map(|d| (d.name.as_str(), d.to)).collect();
    dependencies.sort_by_key(|(name, _)| *name);
    assert_eq!(
        dependencies,
        [
            ("db", DependsOn::External("rusqlite".into())),
            ("sqlx", DependsOn::External("sqlx".into())),
            ("stock", DependsOn::Member(3)),
        ]
    );
    let sweep = &inventory.layout.packages[3].targets[1];
    assert_eq!((sweep.name.as_str(), sweep.role), ("sweep", CrateRole::Binary));
}

#[test]
fn a_manifest_that_does_not_parse_is_listed_and_taken_as_absent() {
    let place = Place::new(&[("Cargo.toml", "[package\nname = 'a'\n"), ("src/lib.rs", "")]);
    let inventory = place.look(&["."]);
    assert_eq!(names(&inventory), ["src/lib.rs"]);
    assert!(inventory.layout.packages.is_empty());
    let [(file, reason)] = skipped(&inventory)[..] else { panic!("{:?}", inventory.skipped) };
    assert_eq!(file, "Cargo.toml");
    assert!(reason.starts_with("taken as absent: "), "{reason}");
}

#[test]
fn sources_outside_the_run_are_named_by_their_whole_path() {
    let place = shop();
    let api = place.path("crates/api").canonicalize().unwrap();
    let inventory = discover(&Request::new(&api, vec!["lib".into()])).unwrap();
    assert_eq!(reported(&inventory), ["lib/api.rs", "lib/routes.rs"]);
    let stock = format!("{}/stock/src/lib.rs", api.parent().unwrap().display());
    assert!(names(&inventory).contains(&stock.as_str()), "{:?}", names(&inventory));
}

#[test]
fn an_overlay_replaces_a_file_or_stands_for_one_that_is_not_there() {
    let place = shop();
    for name in ["crates/api/lib/routes.rs", "crates/api/lib/unsaved.rs"] {
        let overlay = Overlay { path: name.into(), text: "fn typed() {}".to_owned() };
        let inventory =
            discover(&Request { overlays: vec![overlay], ..Request::new(place.0.path(), vec![name.into()]) }).unwrap();
        assert_eq!(reported(&inventory), [name]);
        let text =
            inventory.sources.iter().find(|(_, source)| source.name == name).map(|(_, source)| source.text.as_str());
        assert_eq!(text, Some("fn typed() {}"));
        assert!(names(&inventory).contains(&"crates/stock/src/lib.rs"));
    }
}

#[test]
fn excluded_paths_are_left_out_below_a_given_folder_only() {
    let place = Place::new(&[("src/lib.rs", ""), ("samples/a/src/lib.rs", ""), ("samples/b.rs", "")]);
    let mut builder = ignore::gitignore::GitignoreBuilder::new(place.0.path().canonicalize().unwrap());
    builder.add_line(None, "/samples").unwrap();
    let exclude = builder.build().unwrap();
    let look = |path: &Path| {
        let request = Request { exclude: exclude.clone(), ..Request::new(place.0.path(), vec![path.to_owned()]) };
        names(&discover(&request).unwrap()).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(look(Path::new(".")), ["src/lib.rs"]);
    assert_eq!(look(Path::new("samples/a")), ["samples/a/src/lib.rs"]);
}

#[test]
fn the_sql_of_a_database_is_read_wherever_it_lies() {
    let place = Place::new(&[
        ("code/Cargo.toml", "[package]\nname = 'code'\n"),
        ("code/src/lib.rs", ""),
        ("deploy/orders/1.sql", "create table orders (id int);"),
        ("deploy/orders/other.rs", ""),
        ("deploy/users/1.sql", "create table users (id int);"),
    ]);
    let database = Database { schema: vec!["deploy/orders".into()], used_by: vec!["code".into()] };
    let request = Request { databases: vec![database.clone()], ..Request::new(place.0.path(), vec!["code".into()]) };
    let inventory = discover(&request).unwrap();
    assert_eq!(names(&inventory), ["code/src/lib.rs", "deploy/orders/1.sql"]);
    assert_eq!(reported(&inventory), ["code/src/lib.rs"]);
    assert_eq!(inventory.databases, [database]);

    let gone = Database { schema: vec!["deploy/gone".into()], used_by: Vec::new() };
    let request = Request { databases: vec![gone], ..Request::new(place.0.path(), vec!["code".into()]) };
    assert!(matches!(discover(&request), Err(Error::NoSuchPath(_))));
}
