use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

static HITS: AtomicU64 = AtomicU64::new(0);

pub fn hit() {
    let hits = HITS.load(Ordering::SeqCst);
    HITS.store(hits + 1, Ordering::SeqCst);
}

pub fn tidy(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        std::fs::remove_file(path)?;
    }
    Ok(())
}
