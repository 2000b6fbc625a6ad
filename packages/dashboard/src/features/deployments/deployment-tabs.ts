export const deploymentTabs = ['runs', 'upcoming', 'calendar', 'parameters', 'schedules', 'configuration', 'description'] as const
export type DeploymentTab = (typeof deploymentTabs)[number]
