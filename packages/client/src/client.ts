import { type ClientOptions, HttpClient } from './http.ts'
import { Artifacts } from './nouns/artifacts.ts'
import { Automations } from './nouns/automations.ts'
import { BlockDocuments } from './nouns/block-documents.ts'
import { BlockSchemas } from './nouns/block-schemas.ts'
import { BlockTypes } from './nouns/block-types.ts'
import { ConcurrencyLimits } from './nouns/concurrency-limits.ts'
import { Deployments } from './nouns/deployments.ts'
import { Events } from './nouns/events.ts'
import { FlowRuns } from './nouns/flow-runs.ts'
import { Flows } from './nouns/flows.ts'
import { Logs } from './nouns/logs.ts'
import { ObservedStates } from './nouns/observed-states.ts'
import { Runs } from './nouns/runs.ts'
import { SavedSearches } from './nouns/saved-searches.ts'
import { ServerInfo } from './nouns/server.ts'
import { TagConcurrencyLimits } from './nouns/tag-concurrency-limits.ts'
import { TaskRuns } from './nouns/task-runs.ts'
import { TaskWorkers } from './nouns/task-workers.ts'
import { Variables } from './nouns/variables.ts'
import { WorkPools } from './nouns/work-pools.ts'
import { WorkQueues } from './nouns/work-queues.ts'
import { Workers } from './nouns/workers.ts'

/** Client of the Millrace API: one method for each operation, grouped by noun. */
export class MillraceClient {
  readonly http: HttpClient
  readonly artifacts: Artifacts
  readonly automations: Automations
  readonly blockDocuments: BlockDocuments
  readonly blockSchemas: BlockSchemas
  readonly blockTypes: BlockTypes
  readonly concurrencyLimits: ConcurrencyLimits
  readonly deployments: Deployments
  readonly events: Events
  readonly flowRuns: FlowRuns
  readonly flows: Flows
  readonly logs: Logs
  readonly observedStates: ObservedStates
  readonly runs: Runs
  readonly savedSearches: SavedSearches
  readonly server: ServerInfo
  readonly tagConcurrencyLimits: TagConcurrencyLimits
  readonly taskRuns: TaskRuns
  readonly taskWorkers: TaskWorkers
  readonly variables: Variables
  readonly workPools: WorkPools
  readonly workQueues: WorkQueues
  readonly workers: Workers

  constructor(options: ClientOptions) {
    this.http = new HttpClient(options)
    this.artifacts = new Artifacts(this.http)
    this.automations = new Automations(this.http)
    this.blockDocuments = new BlockDocuments(this.http)
    this.blockSchemas = new BlockSchemas(this.http)
    this.blockTypes = new BlockTypes(this.http)
    this.concurrencyLimits = new ConcurrencyLimits(this.http)
    this.deployments = new Deployments(this.http)
    this.events = new Events(this.http)
    this.flowRuns = new FlowRuns(this.http)
    this.flows = new Flows(this.http)
    this.logs = new Logs(this.http)
    this.observedStates = new ObservedStates(this.http)
    this.runs = new Runs(this.http)
    this.savedSearches = new SavedSearches(this.http)
    this.server = new ServerInfo(this.http)
    this.tagConcurrencyLimits = new TagConcurrencyLimits(this.http)
    this.taskRuns = new TaskRuns(this.http)
    this.taskWorkers = new TaskWorkers(this.http)
    this.variables = new Variables(this.http)
    this.workPools = new WorkPools(this.http)
    this.workQueues = new WorkQueues(this.http)
    this.workers = new Workers(this.http)
  }
}
