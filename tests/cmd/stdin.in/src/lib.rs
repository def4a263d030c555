pub fn fine() {}
