#!/usr/bin/env run
use a::{b, c as d};
pub impl A { gen fn f<'a>(x: &'a str) -> impl Fn(u8) { |y| y?.await } }
