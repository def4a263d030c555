use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

static HITS: AtomicU64 = AtomicU64::new(0);

pub fn hit() {
    let hits = HITS.load(Ordering::SeqCst);
    // racelint: allow(atomic-load-then-store) -- one thread counts
    HITS.store(hits + 1, Ordering::SeqCst);
}

pub fn tidy(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        match std::fs::remove_file(path) {
            Err(err) if err.kind() != std::io::ErrorKind::NotFound => return Err(err),
            _ => {}
        }
    }
    Ok(())
}
