import { Argument, type Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'

/** The words are arguments, never text that the shell evaluates: a half-typed line can contain `$(…)`. */
const scripts = {
  bash: `# Millrace completion for bash: source <(millrace completion bash)
_millrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}" value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    if [[ "$value" == ":files" ]]; then
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null
    elif [[ -n "$value" ]]; then
      COMPREPLY+=("$value")
    fi
  done < <(millrace __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _millrace millrace
`,
  zsh: `#compdef millrace
# Millrace completion for zsh: source <(millrace completion zsh), after compinit
_millrace() {
  local line value
  local -a described
  for line in "\${(@f)$(millrace __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ "$line" == ":files" ]]; then
      _files
      return
    fi
    value="\${line%%$'\\t'*}"
    [[ -n "$value" ]] || continue
    if [[ "$line" == *$'\\t'* ]]; then
      described+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    else
      described+=("\${value//:/\\\\:}")
    fi
  done
  (( \${#described} )) && _describe 'millrace' described
}
if [[ "\${funcstack[1]}" == "_millrace" ]]; then
  _millrace "$@"
else
  compdef _millrace millrace
fi
`,
  fish: `# Millrace completion for fish: millrace completion fish > ~/.config/fish/completions/millrace.fish
function __millrace_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (millrace __complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c millrace -f -a '(__millrace_complete)'
`,
} as const

export function completionCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Prints a script that completes commands, options and values in a shell. Put its output into a file that your shell loads, or source it in your shell configuration.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => void cli.io.stdout.write(scripts[shell]))
  withExamples(
    command,
    ['completion bash > ~/.local/share/bash-completion/completions/millrace'],
    ['completion zsh > ~/.zfunc/_millrace', 'with fpath=(~/.zfunc $fpath) before compinit'],
    ['completion fish > ~/.config/fish/completions/millrace.fish'],
  )
}
