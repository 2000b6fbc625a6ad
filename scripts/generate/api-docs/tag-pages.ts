/** The pages of the operations: file name, title and introduction for each tag of the OpenAPI document. */
export interface TagPage {
  readonly file: string
  readonly title: string
  readonly about: string
}

export const tagPages: Readonly<Record<string, TagPage>> = {
  Flows: {
    file: 'flows',
    title: 'Flows',
    about: 'A flow is a named workflow. Clients register a flow when it runs or is deployed for the first time.',
  },
  'Flow Runs': { file: 'flow-runs', title: 'Flow runs', about: 'A flow run is one execution of a flow, with a state, parameters, tags and inputs.' },
  'Task Runs': {
    file: 'task-runs',
    title: 'Task runs',
    about: 'A task run is one execution of a task. Clients of version 3 report task runs by events; these operations read and change them.',
  },
  Runs: {
    file: 'runs',
    title: 'Reports of runs',
    about: 'A process [reports](../runs-report.md) what happens in the runs that it executes: many records of many runs in one request.',
  },
  'Flow Run States': { file: 'flow-run-states', title: 'States of flow runs', about: 'A flow run keeps the states that it has entered.' },
  'Observed States': {
    file: 'observed-states',
    title: 'Observed states',
    about: 'The types and names of the states that flow runs and task runs had.',
  },
  'Task Run States': { file: 'task-run-states', title: 'States of task runs', about: 'A task run keeps the states that it has entered.' },
  'Flow Run Graph': { file: 'flow-run-graph', title: 'Graph of a flow run', about: 'The task runs and subflows of a run, and what they depend on.' },
  Deployments: {
    file: 'deployments',
    title: 'Deployments',
    about: 'A deployment says how and when the server starts runs of a flow: entrypoint, parameters, schedules, work pool.',
  },
  'Work Pools': {
    file: 'work-pools',
    title: 'Work pools and workers',
    about: 'A work pool holds the runs that its workers poll. These operations also manage the queues and workers of a pool.',
  },
  'Work Queues': {
    file: 'work-queues',
    title: 'Work queues',
    about: 'A work queue orders the runs of a pool by priority. These operations address queues by id, or by name without a pool.',
  },
  'Task Workers': {
    file: 'task-workers',
    title: 'Task workers',
    about: 'A task worker is a process that runs background tasks. It receives them by [WebSocket](websockets.md).',
  },
  'Concurrency Limits V2': {
    file: 'concurrency-limits-v2',
    title: 'Concurrency limits',
    about: 'A concurrency limit has slots that runs and tasks acquire before they start. A lease returns slots whose holder died.',
  },
  'Concurrency Limits': {
    file: 'concurrency-limits',
    title: 'Tag limits',
    about: 'A tag limit bounds the task runs with a tag. It is a concurrency limit with the name `tag:TAG`.',
  },
  Logs: { file: 'logs', title: 'Logs', about: 'Log lines of flow runs and task runs.' },
  Artifacts: {
    file: 'artifacts',
    title: 'Artifacts',
    about: 'Artifacts are results that runs publish: tables, Markdown, links, images, progress. Those with a key have versions.',
  },
  Variables: { file: 'variables', title: 'Variables', about: 'Variables are named JSON values that flows read.' },
  'Block types': {
    file: 'block-types',
    title: 'Block types',
    about: 'A block type names a kind of configuration, such as a webhook or credentials.',
  },
  'Block schemas': { file: 'block-schemas', title: 'Block schemas', about: 'A block schema is a version of the fields of a block type.' },
  'Block documents': {
    file: 'block-documents',
    title: 'Block documents',
    about: 'A block document holds the values of a block schema. Its secrets are encrypted, and hidden unless a request asks for them.',
  },
  'Block capabilities': {
    file: 'block-capabilities',
    title: 'Block capabilities',
    about: 'Capabilities are names that block schemas declare, such as `notify`.',
  },
  Events: {
    file: 'events',
    title: 'Events',
    about: '[Events](../events.md) describe what happened to a resource. They are also sent and streamed by [WebSocket](websockets.md).',
  },
  Automations: { file: 'automations', title: 'Automations', about: 'An automation runs actions when its trigger fires on [events](../events.md).' },
  SavedSearches: { file: 'saved-searches', title: 'Saved searches', about: 'Named filters of flow runs that dashboards offer.' },
  Collections: { file: 'collections', title: 'Collections', about: 'Worker types and block types that clients and dashboards offer.' },
  UI: { file: 'ui', title: 'Dashboard', about: 'Operations that dashboards use to draw pages with few requests.' },
  CSRF: { file: 'csrf', title: 'CSRF tokens', about: 'Clients need a token for each write if `MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED` is set.' },
  Admin: { file: 'admin', title: 'Administration', about: 'Settings, retention and the default result storage of the server.' },
  Root: { file: 'root', title: 'Health and version', about: 'Checks for load balancers and supervisors, versions, and metrics.' },
}
