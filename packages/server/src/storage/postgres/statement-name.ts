const names = new Map<string, string>()
const namesMax = 500

/**
 * Statements of fixed text are prepared on the server once a connection, under a name made from the text. Texts beyond the first few hundred are
 * filters that hardly come twice: they go unnamed, which keeps the server's memory bounded. So do texts that begin with a comment: by it a query
 * asks to be planned for its values each time.
 */
export function preparedStatementName(text: string): string | undefined {
  if (text.startsWith('/*')) return undefined
  const known = names.get(text)
  if (known || names.size >= namesMax) return known
  const name = `m${names.size}`
  names.set(text, name)
  return name
}
