import { analyzeGrownTables } from '../storage/planner-statistics.ts'
import type { Service } from './service.ts'

const everySeconds = 5

/**
 * Tells the planner of PostgreSQL about tables that grew.
 * Settings: services.enabled. Reports: analyzed tables. Does nothing on SQLite, whose statements name their indexes.
 */
export const plannerStatistics: Service = {
  name: 'planner-statistics',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce({ reads }) {
    return { analyzed: (await analyzeGrownTables(reads)).length }
  },
}
