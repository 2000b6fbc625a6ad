import { homedir } from 'node:os'
import { type AdoptListener, adopt } from '@millrace/server/adopt/adopt.ts'
import { openSource } from '@millrace/server/adopt/source/open-source.ts'
import { SourceError } from '@millrace/server/adopt/source/source.ts'
import { StartupError } from '@millrace/server/lib/startup-error.ts'
import { secondsBetween } from '@millrace/server/lib/time.ts'
import type { Cli } from '../cli.ts'
import { formatNumber } from '../output/number-text.ts'
import type { Progress } from '../output/progress.ts'
import { formatReport } from './format-report.ts'
import { withDatabase } from './with-database.ts'

export interface AdoptOptions {
  readonly database?: string
  readonly oldKey: string | undefined
  readonly resume: boolean
}

/** Copies a database. The exit code is 1 if the counts differ. */
export async function adoptSource(cli: Cli, name: string, { database, oldKey, resume }: AdoptOptions): Promise<void> {
  try {
    // The source first: a wrong name must not leave an empty database behind.
    const source = await openSource(name, cli.io.env.HOME || homedir())
    try {
      await withDatabase(cli, database, async ({ context }) => {
        const startedAt = context.clock.now()
        const listener = new CopyProgress(cli)
        const report = await adopt(context, source, { oldKey, resume, listener }).finally(() => listener.end())
        const seconds = secondsBetween(startedAt, context.clock.now())
        if (cli.output.isStructured) await cli.output.data({ ...report, rows: listener.rows, seconds })
        else cli.output.text(formatReport(report, listener.rows, seconds))
        if (report.mismatched.length > 0) cli.exitCode = 1
      })
    } finally {
      await source.close()
    }
  } catch (error) {
    throw error instanceof SourceError ? new StartupError('failed', error.message, error) : error
  }
}

class CopyProgress implements AdoptListener {
  readonly #cli: Cli
  #progress: Progress | undefined

  constructor(cli: Cli) {
    this.#cli = cli
  }

  get rows(): number {
    return this.#progress?.done ?? 0
  }

  onStart(total: number, alreadyDone: number): void {
    this.#cli.output.note(`${formatNumber(total)} rows to copy${alreadyDone > 0 ? `, ${formatNumber(alreadyDone)} already copied` : ''}`)
    this.#progress = this.#cli.progress({ unit: 'rows', total, alreadyDone })
  }

  onCopied(noun: string, rows: number): void {
    this.#progress?.advance(noun, rows)
  }

  end(): void {
    this.#progress?.end()
  }
}
