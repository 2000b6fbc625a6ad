/** Splits shell text into simple commands. Substitutions count as commands of their own. */
export function splitShellCommands(text: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) commands.push(words)
    words = []
  }
  const code = withoutHereDocuments(text)
  for (let index = 0; index < code.length; index += 1) {
    const [character, next] = [code[index] as string, code[index + 1]]
    if (character === '\\') {
      // A line break after a backslash continues the command.
      if (next !== '\n') word = (word ?? '') + (next ?? '')
      index += 1
    } else if (character === "'" || character === '"') {
      const end = endOfQuote(code, index)
      const inner = code.slice(index + 1, end)
      if (character === '"') for (const [, substituted] of inner.matchAll(/\$\(([^)]*)\)/g)) commands.push(...splitShellCommands(substituted ?? ''))
      word = (word ?? '') + inner
      index = end
    } else if (character === '#' && word === undefined) {
      while (index + 1 < code.length && code[index + 1] !== '\n') index += 1
    } else if (character === '$' && next === '(') {
      const end = code.indexOf(')', index)
      commands.push(...splitShellCommands(code.slice(index + 2, end === -1 ? code.length : end)))
      word = `${word ?? ''}$SUBSTITUTION`
      index = end === -1 ? code.length : end
    } else if (/[;|&()\n]/.test(character)) {
      // `2>&1` and `&>file` are redirections.
      if (character === '&' && (code[index - 1] === '>' || next === '>')) word = (word ?? '') + character
      else endCommand()
    } else if (/\s/.test(character)) endWord()
    else word = (word ?? '') + character
  }
  endCommand()
  return commands.map(withoutRedirections)
}

function endOfQuote(code: string, start: number): number {
  const mark = code[start]
  for (let index = start + 1; index < code.length; index += 1) {
    if (code[index] === '\\' && mark === '"') index += 1
    else if (code[index] === mark) return index
  }
  return code.length
}

function withoutHereDocuments(text: string): string {
  return text.replaceAll(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[\s\S]*?\n\s*\2(?=\n|$)/g, '$3')
}

function withoutRedirections(words: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string
    if (/^\d?&?(?:>>?|<)/.test(word)) index += /^\d?&?(?:>>?|<)$/.test(word) ? 1 : 0
    else kept.push(word)
  }
  return kept
}

const keywords = new Set(['if', 'then', 'else', 'do', 'while', 'until', '!', 'time', 'exec', 'sudo', '{'])

/** The program of a command with its arguments, without variables and shell keywords before it; `npx NAME` is the program NAME. */
export function programOf(words: readonly string[]): { readonly program: string; readonly args: readonly string[] } | undefined {
  let start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word) && !keywords.has(word))
  if (start === -1) return undefined
  if (words[start] === 'npx') {
    start += 1
    while (words[start]?.startsWith('-')) start += 1
  }
  const program = words[start]?.replace(/@(?:latest|\d[\w.-]*)$/, '')
  return program === undefined ? undefined : { program, args: words.slice(start + 1) }
}
