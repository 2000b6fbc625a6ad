export const flowTabs = ['runs', 'deployments', 'details'] as const
export type FlowTab = (typeof flowTabs)[number]
