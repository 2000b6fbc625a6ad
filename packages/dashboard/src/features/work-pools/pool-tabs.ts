export const poolTabs = ['runs', 'upcoming', 'slots', 'queues', 'workers', 'configuration'] as const
export type PoolTab = (typeof poolTabs)[number]

export const queueTabs = ['runs', 'upcoming', 'details'] as const
export type QueueTab = (typeof queueTabs)[number]
