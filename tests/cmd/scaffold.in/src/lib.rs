use std::sync::atomic::{AtomicU32, Ordering};

pub struct Ferry {
    pub aboard: AtomicU32,
}

impl Ferry {
    pub fn board(&self, places: u32) -> bool {
        if self.aboard.load(Ordering::SeqCst) >= 40 {
            return false;
        }
        self.aboard.fetch_add(places, Ordering::SeqCst);
        true
    }
}
