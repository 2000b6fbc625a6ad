/** The process of a scheduled backup. Its parent sends one request and gets one message. */
import { setPriority } from 'node:os'
import { StartupError } from '../../lib/startup-error.ts'
import { serverDiskShare } from './backup-copy.ts'
import { type BackupRequest, type BackupResult, createBackup } from './create-backup.ts'

export type BackupMessage = { readonly result: BackupResult } | { readonly problem: string; readonly isExpected: boolean }

try {
  setPriority(10)
} catch {
  // The system may not allow it.
}

// The server ended.
process.once('disconnect', () => process.exit(1))

process.once('message', async (request: BackupRequest) => {
  const message = await createBackup(request, { diskShare: serverDiskShare }).then(
    (result): BackupMessage => ({ result }),
    (error: unknown): BackupMessage => {
      const isExpected = error instanceof StartupError
      return { problem: error instanceof Error ? ((isExpected ? undefined : error.stack) ?? error.message) : String(error), isExpected }
    },
  )
  process.send?.(message, () => process.exit(0))
})
