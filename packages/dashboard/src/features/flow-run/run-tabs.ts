/** The parts of a run's page, as its address names them. Apart from the page, which is loaded only when it is shown. */
export const runTabs = ['logs', 'graph', 'tasks', 'states', 'parameters', 'artifacts', 'details'] as const
export type RunTab = (typeof runTabs)[number]
