//! stub
use crate::intern::Symbol; use crate::source::Span;
#[derive(Default,Debug)] pub struct Schema; #[derive(Debug)] pub struct Unique{pub span:Span} pub struct Check{pub columns:Vec<Symbol>,pub bounds_below:bool,pub span:Span} pub struct Table{pub checks:Vec<Check>, pub span: Span}
impl Schema{ pub fn covering_unique(&self,_t:Symbol,_c:&[Symbol])->Option<&Unique>{None} pub fn table(&self,_t:Symbol)->Option<&Table>{None} }
