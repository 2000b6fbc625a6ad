/** Returns the first expected line that the output lacks. Each line must occur, in this order; `…` stands for any text. */
export function missingLine(expected: string, output: string): string | undefined {
  const lines = output.split('\n').map(normalize)
  let from = 0
  for (const line of expected.split('\n').map(normalize)) {
    if (line === '' || line === '…') continue
    const pattern = new RegExp(`^${line.split('…').map(RegExp.escape).join('.*')}$`)
    const found = lines.findIndex((each, index) => index >= from && pattern.test(each))
    if (found === -1) return line
    from = found + 1
  }
  return undefined
}

/** The width of columns depends on ids and names, so that runs of spaces are equal. */
const normalize = (line: string): string => line.replaceAll(/\s+/g, ' ').trim()
