import type { Mill } from './mill.ts'

/** Every page by a name for its picture: what is photographed is also what is tested. */
export const pagesOf = (mill: Mill): Record<string, { readonly path: string; readonly title: string }> => ({
  home: { path: '/dashboard', title: 'Home' },
  runs: { path: '/runs', title: 'Runs' },
  'runs-filtered': { path: '/runs?state=Failed&state=Crashed', title: 'Runs' },
  run: { path: `/runs/flow-run/${mill.runningRun}`, title: '' },
  'run-graph': { path: `/runs/flow-run/${mill.runningRun}?tab=graph`, title: '' },
  'run-tasks': { path: `/runs/flow-run/${mill.runningRun}?tab=tasks`, title: '' },
  'run-states': { path: `/runs/flow-run/${mill.failedRun}?tab=states`, title: '' },
  'run-paused': { path: `/runs/flow-run/${mill.pausedRun}?tab=parameters`, title: '' },
  'run-details': { path: `/runs/flow-run/${mill.lateRun}?tab=details`, title: '' },
  'task-run': { path: `/runs/task-run/${mill.taskRun}?tab=details`, title: 'extract-0' },
  flows: { path: '/flows', title: 'Flows' },
  flow: { path: `/flows/flow/${mill.flows['ingest-orders']}`, title: 'ingest-orders' },
  deployments: { path: '/deployments', title: 'Deployments' },
  deployment: { path: `/deployments/deployment/${mill.deployments['ingest-orders']}`, title: 'every-15-min' },
  'work-pools': { path: '/work-pools', title: 'Work pools' },
  'work-pool': { path: '/work-pools/work-pool/kubernetes', title: 'kubernetes' },
  'concurrency-limits': { path: '/concurrency-limits', title: 'Concurrency' },
  automations: { path: '/automations', title: 'Automations' },
  events: { path: '/events', title: 'Events' },
  blocks: { path: '/blocks', title: 'Blocks' },
  variables: { path: '/variables', title: 'Variables' },
  artifacts: { path: '/artifacts', title: 'Artifacts' },
  settings: { path: '/settings', title: 'Settings' },
})
