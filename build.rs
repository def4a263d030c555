//! Names the build by what it is made of, so that no build takes what another one cached for its own.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    for path in ["Cargo.toml", "Cargo.lock", "src", "rules"] {
        println!("cargo::rerun-if-changed={path}");
        if Path::new(path).exists() {
            add(Path::new(path), &mut hasher)?;
        }
    }
    println!("cargo::rustc-env=RACELINT_BUILD={:016x}", hasher.finish());
    Ok(())
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if path.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        return entries.iter().try_for_each(|entry| add(&entry.path(), hasher));
    }
    let bytes = fs::read(path)?;
    hasher.write(path.to_string_lossy().as_bytes());
    hasher.write_usize(bytes.len());
    hasher.write(&bytes);
    Ok(())
}
