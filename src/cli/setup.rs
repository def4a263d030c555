//! `init`, `completions` and `man`: what is set up once.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, bail};
use clap::CommandFactory;

use super::Outcome;
use super::args::{Cli, InitArgs};
use super::print;

/// What `init` writes; a test reads it back with every comment mark taken off.
const TEMPLATE: &str = include_str!("init/racelint.toml");
const HOOK: &str = include_str!("init/pre-commit.yaml");
const WORKFLOW: &str = include_str!("init/workflow.yml");

/// Writes files to start from; never over one that is there.
pub fn init(args: &InitArgs) -> anyhow::Result<Outcome> {
    let config = "racelint.toml";
    if !create(config, TEMPLATE)? {
        // Whoever asks for more may have a configuration already.
        match args.pre_commit || args.workflow {
            true => print::note(&format!("{config} is there already and stays as it is")),
            false => bail!("{config} is there already"),
        }
    }
    let asked = [
        (args.pre_commit, ".pre-commit-config.yaml", HOOK),
        (args.workflow, ".github/workflows/racelint.yml", WORKFLOW),
    ];
    let mut there = Vec::new();
    for (_, name, template) in asked.iter().filter(|(asked, ..)| *asked) {
        let text = filled(template);
        if !create(name, &text)? {
            there.push(format!("{name} is there already; add this to it:\n\n{}", text.trim_end()));
        }
    }
    match there.is_empty() {
        true => Ok(Outcome::Clean),
        false => bail!("{}", there.join("\n")),
    }
}

/// Writes a new file and says so; false where there is one.
fn create(name: &str, text: &str) -> anyhow::Result<bool> {
    if let Some(folder) = Path::new(name).parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    match OpenOptions::new().write(true).create_new(true).open(name) {
        Ok(mut file) => file.write_all(text.as_bytes()).with_context(|| format!("cannot write {name}"))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error).with_context(|| format!("cannot create {name}")),
    }
    print::note(&format!("wrote {name}"));
    Ok(true)
}

fn filled(template: &str) -> String {
    template.replace("{version}", env!("CARGO_PKG_VERSION")).replace("{repository}", env!("CARGO_PKG_REPOSITORY"))
}

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "racelint", &mut script);
    print::out(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Clean)
}

/// Prints the manual page: the program's own, then one section a command.
pub fn man() -> anyhow::Result<Outcome> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    for command in Cli::command().get_subcommands() {
        let name = command.get_name().to_uppercase();
        writeln!(page, ".SH \"RACELINT {name}\"")?;
        let man = clap_mangen::Man::new(command.clone());
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    print::out(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::rules::ALL;

    #[test]
    fn the_template_holds_nothing_wrong_behind_its_comment_marks() {
        assert_eq!(toml::from_str::<Config>(TEMPLATE).unwrap(), Config::default());
        let uncommented: String =
            TEMPLATE.lines().filter_map(|line| line.strip_prefix("#: ")).map(|line| format!("{line}\n")).collect();
        let config: Config = toml::from_str(&uncommented).unwrap();
        assert!(
            config.baseline.is_some()
                && !config.overrides.is_empty()
                && !config.databases.is_empty()
                && config.fail_on.is_some()
        );
        assert!(config.severity.keys().all(|name| ALL.iter().any(|rule| rule.name == name)));
        assert_eq!(config.check_names(ALL), Ok(()));
    }
}
