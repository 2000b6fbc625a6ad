import { MICROS_PER_SECOND, type Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

type UsageRow = Row<'automation_usage'>

const minuteMicros = 60 * MICROS_PER_SECOND

const usageSince = statement('select * from automation_usage where minute >= $1')
const sweep = statement('delete from automation_usage where minute < $1')

export const minuteOf = (time: Micros): number => Math.floor(time / minuteMicros)

/** Firings per automation (scope) in the current minute. Older minutes are ignored. */
export class FiringUsage {
  readonly #rows: Map<string, UsageRow>
  readonly #changed = new Set<string>()

  private constructor(rows: readonly UsageRow[]) {
    this.#rows = new Map(rows.map((row) => [row.scope, { ...row }]))
  }

  static async read(db: Db, minute: number): Promise<FiringUsage> {
    return new FiringUsage(await db.all<UsageRow>(usageSince, [minute]))
  }

  of(scope: string, minute: number): { readonly used: number; readonly earned: number } {
    return this.#current(scope, minute)
  }

  add(scope: string, minute: number, { used = 0, earned = 0 }: { used?: number; earned?: number }): void {
    const row = this.#current(scope, minute)
    this.#rows.set(scope, { ...row, used: row.used + used, earned: row.earned + earned })
    this.#changed.add(scope)
  }

  /** An event of an earlier minute counts in the minute that the scope has reached. */
  #current(scope: string, minute: number): UsageRow {
    const row = this.#rows.get(scope)
    return row && row.minute >= minute ? row : { scope, minute, used: 0, earned: 0 }
  }

  /** The usage of all scopes in a minute. */
  inMinute(minute: number): { readonly scope: string; readonly used: number }[] {
    return [...this.#rows.values()].filter((row) => row.minute >= minute)
  }

  async write(tx: Tx): Promise<void> {
    const rows = [...this.#changed].map((scope) => this.#rows.get(scope) as UsageRow)
    await tx.insert('automation_usage', rows, {
      onConflict: 'on conflict (scope) do update set minute = excluded.minute, used = excluded.used, earned = excluded.earned',
    })
  }
}

export const sweepUsage = (tx: Tx, now: Micros): Promise<number> => tx.run(sweep, [minuteOf(now) - 1])
