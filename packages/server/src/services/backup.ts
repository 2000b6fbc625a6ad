import { scheduledBackups } from '../domains/admin/scheduled-backups.ts'
import type { Service } from './service.ts'

/**
 * Saves the SQLite database at the times of a schedule, in a process of its own, and removes the oldest backups.
 * Settings: services.backup.schedule (none), folder, keep (7), compress (true). Reports: backup_bytes.
 */
export const backup: Service = {
  name: 'backup',
  enabled: (config) => config.services.backup.schedule !== '',
  everySeconds: () => 30,
  runOnce: async (context, signal) => ({ backup_bytes: await scheduledBackups(context).runDue(signal) }),
}
