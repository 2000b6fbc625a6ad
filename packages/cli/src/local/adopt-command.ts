import { homedir } from 'node:os'
import { adopt } from '@millrace/server/adopt/adopt.ts'
import { openSource } from '@millrace/server/adopt/source/open-source.ts'
import { SourceError } from '@millrace/server/adopt/source/source.ts'
import { secondsBetween } from '@millrace/server/lib/time.ts'
import { readArguments, readSecretFile } from './arguments.ts'
import { formatReport } from './format-report.ts'
import { ProgressLine } from './progress-line.ts'
import { withDatabase } from './with-database.ts'

/** `millrace adopt SOURCE`: returns 0 if all rows are copied, 1 on an error or if the counts differ. */
export async function adoptCommand(argv: readonly string[]): Promise<number> {
  const { positionals, options, flags } = readArguments(argv, { options: ['database', 'old-key-file'], flags: ['resume'], positionals: ['SOURCE'] })
  const keyFile = options.get('old-key-file')
  const oldKey = keyFile === undefined ? environmentKey() : readSecretFile(keyFile)
  try {
    // The source first: a wrong name must not leave an empty database behind.
    const source = await openSource(positionals[0] as string, homedir())
    try {
      return await withDatabase(options.get('database'), async ({ context }) => {
        const startedAt = context.clock.now()
        const line = new ProgressLine(process.stderr, context.clock)
        const report = await adopt(context, source, { oldKey, resume: flags.has('resume'), listener: line })
        line.end()
        console.log(formatReport(report, line.copiedNow, secondsBetween(startedAt, context.clock.now())))
        return report.mismatched.length > 0 ? 1 : 0
      })
    } finally {
      await source.close()
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    console.error(error.message)
    return 1
  }
}

/** The variables of the Prefect server for its key. */
const environmentKey = (): string | undefined => process.env.PREFECT_SERVER_ENCRYPTION_KEY || process.env.ORION_ENCRYPTION_KEY || undefined
