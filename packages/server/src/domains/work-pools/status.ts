import { defaultPoolType } from '@millrace/contracts/work-pool.ts'

/** The default type under the name that existing clients know it by. */
const agentTypes: readonly string[] = [defaultPoolType, 'prefect-agent']

/** Agents are polled for but never report, so that nothing could be said of pools of their type. */
export const keepsStatus = (type: string): boolean => !agentTypes.includes(type)
