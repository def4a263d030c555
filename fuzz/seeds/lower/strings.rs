fn a() {
    // c "x
    let s = r#"/* " */"#; /* /* n */ */
    m!(if a { b } else { c });
}
