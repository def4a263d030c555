//! One file → its text, or the reason why not.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The largest file that is read; the largest hand-written source known is a seventh of it.
pub const LARGEST: u64 = 4 * 1024 * 1024;

/// The text of a regular file of UTF-8, as it stands (BOM included).
pub fn read_text(path: &Path) -> Result<String, String> {
    read_if_there(path).unwrap_or_else(|| Err("no such file".to_owned()))
}

/// The same; none where there is no file.
pub fn read_if_there(path: &Path) -> Option<Result<String, String>> {
    read_within(path, LARGEST)
}

/// The same for a file of up to so many bytes.
pub fn read_within(path: &Path, most: u64) -> Option<Result<String, String>> {
    match read(path, most + 1) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) if error.kind() == ErrorKind::InvalidInput => Some(Err("not a regular file".to_owned())),
        Err(error) => Some(Err(reason(&error))),
        Ok(bytes) if bytes.len() as u64 > most => Some(Err(too_large(most))),
        Ok(bytes) => Some(decode(bytes)),
    }
}

/// Why a file of more than so many bytes is not read.
pub fn too_large(most: u64) -> String {
    format!("larger than {} MB", most / 1024 / 1024)
}

/// The first bytes of a regular file, at most so many.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Opening a FIFO waits for a writer and opening a device may do anything, so the kind is looked at before.
    let data = fs::metadata(path)?;
    if !data.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    // Room for one byte more shows the end of the file without another look.
    let mut bytes = Vec::with_capacity(data.len().min(most) as usize + 1);
    // racelint: allow(fs-check-then-use) -- a file that becomes a FIFO in between makes the run wait, no more
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let utf16 = match bytes.as_slice() {
        [0xff, 0xfe, ..] => Some("little endian"),
        [0xfe, 0xff, ..] => Some("big endian"),
        // Without a mark: text of a programming language starts with an ASCII character, whose other half is zero.
        [1..=0x7f, 0, ..] => Some("little endian"),
        [0, 1..=0x7f, ..] => Some("big endian"),
        _ => None,
    };
    if let Some(order) = utf16 {
        return Err(format!("UTF-16 ({order}), not UTF-8"));
    }
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// An error of the operating system without its number, which differs from system to system.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::NotFound => "vanished during the run".to_owned(),
        kind => format!("cannot be read: {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(decode("fn größe() {}".into()), Ok("fn größe() {}".to_owned()));
        assert_eq!(decode(b"fn a() { \"\xff\" }".to_vec()), Err("not UTF-8 at byte 10".to_owned()));
        assert_eq!(decode(b"\xff\xfef\0n\0".to_vec()), Err("UTF-16 (little endian), not UTF-8".to_owned()));
        assert_eq!(decode(b"\0f\0n".to_vec()), Err("UTF-16 (big endian), not UTF-8".to_owned()));
        assert_eq!(decode("\u{feff}fn a() {}".into()), Ok("\u{feff}fn a() {}".to_owned()));
        assert_eq!(decode(Vec::new()), Ok(String::new()));
    }

    #[test]
    fn a_file_at_the_limit_is_read_and_one_above_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("big.rs");
        fs::write(&path, vec![b' '; LARGEST as usize]).unwrap();
        assert_eq!(read_text(&path).map(|text| text.len()), Ok(LARGEST as usize));
        fs::write(&path, vec![b' '; LARGEST as usize + 1]).unwrap();
        assert_eq!(read_text(&path), Err("larger than 4 MB".to_owned()));
        assert_eq!(read_text(dir.path()), Err("not a regular file".to_owned()));
    }
}
