/** A group of the sidebar. Paths are from the root of the repository. */
export interface SiteGroup {
  readonly title: string
  /** All pages of this folder, those of `order` first and the others by name. */
  readonly folder?: string
  readonly order?: readonly string[]
  /** Single pages, after those of the folder. */
  readonly pages?: readonly string[]
  /** Shown on pages of the folder only. Elsewhere its first page is an entry of this group: 60 entries would be most of each page. */
  readonly entryOf?: string
  /** Not in the search index: it would hide the pages that answer a question. */
  readonly isUnsearched?: boolean
}

/** The page at the address of the site itself. It has no place in the sidebar; the logo leads to it. */
export const homePage = 'docs/index.md'

/**
 * The sidebar of the site; titles are the first headings of the pages. A page of docs/ without a place here fails a test, and so does an entry
 * without a page.
 */
export const siteMap: readonly SiteGroup[] = [
  { title: 'Start', pages: ['docs/start.md'] },
  {
    title: 'Concepts',
    folder: 'docs/concepts',
    order: [
      'flows-and-runs',
      'states',
      'deployments-and-schedules',
      'work-pools-and-workers',
      'concurrency',
      'events-and-automations',
      'artifacts-variables-and-blocks',
    ],
  },
  {
    title: 'Guides',
    folder: 'docs/guides',
    order: [
      'schedule-a-flow',
      'run-a-worker',
      'parameters',
      'secrets-and-settings',
      'retry',
      'cancel-and-pause',
      'limit-concurrency',
      'notify',
      'logs',
      'why-not-running',
      'deploy-from-ci',
      'retention',
      'typed-client',
    ],
    pages: ['docs/export-import.md', 'docs/crash-detection.md', 'docs/troubleshooting.md'],
  },
  { title: 'Coming from Prefect', pages: ['docs/coming-from-prefect.md', 'docs/adopt.md', 'docs/compatibility.md', 'docs/differences.md'] },
  {
    title: 'Operation',
    pages: [
      'docs/deployment.md',
      'docs/behind-a-proxy.md',
      'docs/security.md',
      'docs/scaling.md',
      'docs/high-availability.md',
      'docs/capacity.md',
      'docs/postgres-compatible.md',
      'docs/backup.md',
      'docs/upgrade.md',
      'docs/doctor.md',
      'docs/metrics.md',
      'docs/telemetry.md',
      'docs/back-pressure.md',
    ],
  },
  { title: 'Reference', pages: ['docs/cli.md', 'docs/config.md', 'docs/events.md', 'docs/runs-report.md', 'docs/errors.md'] },
  { title: 'HTTP API', folder: 'docs/api', order: ['index'], entryOf: 'Reference' },
  {
    title: 'For contributors',
    pages: ['ARCHITECTURE.md', 'HACKING.md', 'docs/benchmarks.md', 'docs/proofs.md', 'docs/simulation.md', 'CHANGELOG.md'],
    isUnsearched: true,
  },
  { title: 'Decisions', folder: 'docs/adr', entryOf: 'For contributors', isUnsearched: true },
]
