import { defaultPoolType } from '@millrace/contracts/work-pool.ts'

/** The default type under the name that existing clients know it by. */
const agentTypes: readonly string[] = [defaultPoolType, 'prefect-agent']

/**
 * Agents are polled for but never report, so that the API shows no status for pools of their type, and a pause changes none. It is kept all the
 * same: should a worker report after all, whoever listens hears that the pool is ready, and that it is not any more.
 */
export const hasStatus = (type: string): boolean => !agentTypes.includes(type)
