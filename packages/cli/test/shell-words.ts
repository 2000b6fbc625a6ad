/** Splits an example as a shell does, up to a pipe or redirection. */
export function splitShellWords(line: string): string[] {
  const words: string[] = []
  for (const [, single, double, plain] of line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)) {
    if (plain !== undefined && /^(?:[|<>]|&&|\d?>)/.test(plain)) break
    words.push(single ?? double ?? (plain as string))
  }
  return words
}
