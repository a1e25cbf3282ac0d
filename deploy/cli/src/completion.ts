import type { Command, Option } from 'commander'

/**
 * The words that may stand in place of the last word of a command line: the names of commands, options or choices that begin with it.
 * @param words the command line, without the program; the last one may be empty or only begun
 */
export function completions(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? ''
  let command = program
  let waiting: Option | undefined
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) waiting = undefined
    else if (word.startsWith('-')) waiting = optionsOf(command, program).find((one) => takesValue(one, word))
    else command = command.commands.find((one) => one.name() === word) ?? command
  }
  return candidates(command, program, { typed, waiting }).filter((name) => name.startsWith(typed))
}

function candidates(
  command: Command,
  program: Command,
  { typed, waiting }: { typed: string; waiting: Option | undefined },
): readonly string[] {
  if (waiting !== undefined) return waiting.argChoices ?? []
  if (typed.startsWith('-')) return optionsOf(command, program).flatMap(({ long }) => long ?? [])
  return command.commands.map((one) => one.name()).filter((name) => name !== hidden)
}

/** The options of a command and of the program, which may stand anywhere. */
function optionsOf(command: Command, program: Command): Option[] {
  return [...new Set([...command.options, ...program.options])]
}

function takesValue(option: Option, word: string): boolean {
  return (word === option.long || word === option.short) && !option.isBoolean()
}

/** The command that the scripts run. */
const hidden = 'complete'

/** For each shell the script that completes command lines. It asks the program that is being typed, such as `./gatehouse`. */
export const completionScripts = {
  bash: `_gatehouse() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]/#~/$HOME}" ${hidden} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _gatehouse gatehouse`,
  zsh: `#compdef gatehouse
_gatehouse() {
  local -a found
  found=("\${(@f)$(\${~words[1]} ${hidden} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _gatehouse gatehouse`,
  fish: `function __gatehouse_complete
  set -l words (commandline -opc)[2..]
  set -l program (string replace -r '^~' $HOME (commandline -opc)[1])
  $program ${hidden} -- $words (commandline -ct) 2>/dev/null
end
complete -c gatehouse -f -a '(__gatehouse_complete)'`,
} as const

const shells = Object.keys(completionScripts) as (keyof typeof completionScripts)[]

/** gatehouse completion, and the command that its scripts run. @param write shows a text */
export function completionCommands(program: Command, write: (text: string) => void): void {
  program
    .command('completion')
    .description(`write the script that completes command lines: ${shells.join(', ')}`)
    .addArgument(program.createArgument('<shell>', 'your shell').choices(shells))
    .action((shell: keyof typeof completionScripts) => write(completionScripts[shell]))
  program
    .command(hidden, { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => write(completions(program, words).join('\n')))
}
