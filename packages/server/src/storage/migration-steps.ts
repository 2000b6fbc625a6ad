/**
 * The steps of a migration file, in order. A line `-- step: online` begins statements that run one by one, outside of a transaction, while other
 * servers read and write; `-- step: online, optional` tolerates their failure; `-- step: transaction` begins a transaction again. A file without such
 * lines is one transaction.
 *
 * A migration is recorded with its last transaction. After an interruption all of its steps run again, so every other step must be repeatable:
 * `create index concurrently` (an unfinished index is dropped first), `drop index concurrently if exists`, `validate constraint`.
 */
export interface MigrationStep {
  readonly kind: 'transaction' | 'online'
  /** Whether the migration goes on without this step, for example because an extension is not available. */
  readonly isOptional: boolean
  readonly text: string
}

const heading = /^-- step: (transaction|online)(, optional)?$/

export function splitSteps(up: string): MigrationStep[] {
  const steps: MigrationStep[] = []
  let current = { kind: 'transaction' as MigrationStep['kind'], isOptional: false, lines: [] as string[] }
  const finish = () => {
    const text = current.lines.join('\n')
    if (statementsOf(text).length > 0) steps.push({ kind: current.kind, isOptional: current.isOptional, text })
  }
  for (const line of up.split('\n')) {
    const [, kind, optional] = heading.exec(line.trimEnd()) ?? []
    if (kind === undefined) {
      current.lines.push(line)
      continue
    }
    finish()
    current = { kind: kind as MigrationStep['kind'], isOptional: optional !== undefined, lines: [] }
  }
  finish()
  return steps
}

/** Splits SQL at semicolons outside of strings, dollar quotes, comments and the bodies of SQLite triggers. Comments are removed. */
export function statementsOf(text: string): string[] {
  const token = /--[^\n]*|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;|[^;'$-]+|[$-]/g
  const statements: string[] = []
  let current = ''
  const isOpenTrigger = () => /^\s*create trigger\b/i.test(current) && /\bbegin\b/i.test(current) && !/\bend\s*$/i.test(current)
  for (const [piece] of text.matchAll(token)) {
    if (piece.startsWith('--')) continue
    if (piece !== ';' || isOpenTrigger()) {
      current += piece
      continue
    }
    if (current.trim() !== '') statements.push(current.trim())
    current = ''
  }
  if (current.trim() !== '') statements.push(current.trim())
  return statements
}
