//! One `Cargo.toml` → the little that the analysis needs. Whatever has an unexpected form is taken as not there: manifests are cargo's to judge.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// A manifest that parsed.
#[derive(Debug)]
pub struct Manifest {
    pub package: Option<PackageTable>,
    pub workspace: Option<WorkspaceTable>,
}

#[derive(Debug)]
pub struct PackageTable {
    pub name: String,
    pub edition: Edition,
    /// `package.workspace`: where the workspace's manifest lies.
    pub workspace: Option<PathBuf>,
    /// `build = "…"`
    pub build: Option<PathBuf>,
    pub lib: Option<TargetTable>,
    pub bins: Vec<TargetTable>,
    pub tests: Vec<TargetTable>,
    pub examples: Vec<TargetTable>,
    pub benches: Vec<TargetTable>,
    /// All kinds together; a name may come more than once.
    pub dependencies: Vec<DependencyTable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    Absent,
    Inherited,
    Written(u16),
}

#[derive(Debug, Default)]
pub struct TargetTable {
    pub name: Option<String>,
    pub path: Option<PathBuf>,
}

#[derive(Debug)]
pub struct DependencyTable {
    pub key: String,
    /// `package = "…"`
    pub package: Option<String>,
    pub path: Option<PathBuf>,
    /// `workspace = true`
    pub inherited: bool,
}

#[derive(Debug)]
pub struct WorkspaceTable {
    pub edition: Edition,
    pub exclude: Vec<PathBuf>,
    pub dependencies: Vec<DependencyTable>,
}

/// Reads the text of a manifest; the error is TOML's own.
pub fn parse(text: &str, folder: &Path) -> Result<Manifest, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.message().trim().to_owned())?;
    let package = get_table(&table, "package").map(|package| package_table(&table, package, folder));
    let workspace = get_table(&table, "workspace").map(|workspace| WorkspaceTable {
        edition: get_table(workspace, "package").map_or(Edition::Absent, edition),
        exclude: strings(workspace.get("exclude")).map(PathBuf::from).collect(),
        dependencies: dependencies(workspace, "dependencies"),
    });
    Ok(Manifest { package, workspace })
}

/// `[package.metadata.racelint]`, else `[workspace.metadata.racelint]` of a manifest's text; none where it does not parse.
pub fn metadata(text: &str) -> Option<Table> {
    let table: Table = text.parse().ok()?;
    ["package", "workspace"]
        .iter()
        .find_map(|owner| get_table(get_table(get_table(&table, owner)?, "metadata")?, "racelint"))
        .cloned()
}

fn package_table(whole: &Table, package: &Table, folder: &Path) -> PackageTable {
    let folder_name = || folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    PackageTable {
        name: get_str(package, "name").map_or_else(folder_name, str::to_owned),
        edition: edition(package),
        workspace: get_str(package, "workspace").map(PathBuf::from),
        build: get_str(package, "build").map(PathBuf::from),
        lib: get_table(whole, "lib").map(target),
        bins: targets(whole, "bin"),
        tests: targets(whole, "test"),
        examples: targets(whole, "example"),
        benches: targets(whole, "bench"),
        dependencies: all_dependencies(whole),
    }
}

fn edition(owner: &Table) -> Edition {
    match owner.get("edition") {
        Some(Value::String(year)) => year.parse().map_or(Edition::Absent, Edition::Written),
        Some(Value::Table(table)) if table.get("workspace") == Some(&Value::Boolean(true)) => Edition::Inherited,
        _ => Edition::Absent,
    }
}

fn targets(whole: &Table, kind: &str) -> Vec<TargetTable> {
    let listed = whole.get(kind).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_table).map(target).collect()
}

fn target(table: &Table) -> TargetTable {
    TargetTable { name: get_str(table, "name").map(str::to_owned), path: get_str(table, "path").map(PathBuf::from) }
}

fn all_dependencies(whole: &Table) -> Vec<DependencyTable> {
    let platforms = get_table(whole, "target").into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let mut all = Vec::new();
    for owner in std::iter::once(whole).chain(platforms) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            all.extend(dependencies(owner, kind));
        }
    }
    all
}

fn dependencies(owner: &Table, kind: &str) -> Vec<DependencyTable> {
    let Some(table) = get_table(owner, kind) else { return Vec::new() };
    table.iter().map(|(key, value)| dependency(key, value)).collect()
}

fn dependency(key: &str, value: &Value) -> DependencyTable {
    let table = value.as_table();
    let text = |name| table.and_then(|table| get_str(table, name));
    DependencyTable {
        key: key.to_owned(),
        package: text("package").map(str::to_owned),
        path: text("path").map(PathBuf::from),
        inherited: table.and_then(|table| table.get("workspace")) == Some(&Value::Boolean(true)),
    }
}

fn get_table<'t>(table: &'t Table, key: &str) -> Option<&'t Table> {
    table.get(key)?.as_table()
}

fn get_str<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key)?.as_str()
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unexpected_forms_are_taken_as_absent() {
        let manifest =
            parse("package = { name = 3, edition = 2024 }\n[dependencies]\nsqlx = [1]\n", Path::new("/x/shop"))
                .unwrap();
        let package = manifest.package.unwrap();
        assert_eq!(package.name, "shop");
        assert_eq!(package.edition, Edition::Absent);
        assert_eq!(package.dependencies[0].key, "sqlx");
        assert!(parse("[package", Path::new("/x")).is_err());
    }

    #[test]
    fn dependencies_of_every_kind_are_listed() {
        let text = "[package]\nname = 'a'\n[dependencies]\nb = { path = '../b', package = 'real-b' }\n[dev-dependencies]\nc = { workspace = true }\n\
                    [target.'cfg(unix)'.dependencies]\nd = '1'\n";
        let package = parse(text, Path::new("/x")).unwrap().package.unwrap();
        let keys: Vec<_> =
            package.dependencies.iter().map(|d| (d.key.as_str(), d.package.as_deref(), d.inherited)).collect();
        assert_eq!(keys, [("b", Some("real-b"), false), ("c", None, true), ("d", None, false)]);
    }

    #[test]
    fn metadata_of_the_package_wins() {
        let both = "[workspace.metadata.racelint]\nignore = ['a']\n[package.metadata.racelint]\nignore = ['b']\n";
        assert_eq!(metadata(both).unwrap()["ignore"][0].as_str(), Some("b"));
        assert_eq!(metadata("[package]\nname = 'a'"), None);
    }
}
