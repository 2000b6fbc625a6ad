/**
 * Follows README.md and docs/start.md word for word on a fresh clone, with an empty home directory and a new Python environment: the commands are
 * those of the pages, which are read from the clone.
 */
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../packages/server/test/free-port.ts'
import { repositoryRoot } from '../repository.ts'
import { type Page, parsePage } from './page-blocks.ts'
import { endProcessesOf, networkEnvironment, type PageEnvironment } from './page-environment.ts'
import { type PageResult, runPage } from './run-page.ts'

const run = promisify(execFile)

/** The first minutes: installation, the first start with the build of the dashboard, and pip. */
const blockSeconds = 900
const documentedPort = 4200
const nobody = 65534

/** As this user, and as a plain one too if this is root. */
export async function* runNewcomer(repository = repositoryRoot): AsyncGenerator<PageResult> {
  for (const uid of process.getuid?.() === 0 ? [undefined, nobody] : [undefined]) {
    const environment = await newMachine(repository, uid)
    try {
      for (const page of readPath(environment.folder)) {
        const result = await runPage(page, {
          environment: { ...environment, remove: () => {} },
          blockSeconds,
          check: async (url) => (await firstRunProblem(url)) ?? checkoutProblem(environment.folder),
        })
        yield { ...result, page: `${page.path} on a new machine${uid === undefined ? '' : ', as a plain user'}` }
        if (result.failure !== undefined) break
      }
    } finally {
      environment.remove()
    }
  }
}

/** README.md, then docs/start.md. A page that starts no server itself continues with that of README.md, in one session. */
export function readPath(clone: string): Page[] {
  const [readme, start] = ['README.md', 'docs/start.md']
    .filter((path) => existsSync(join(clone, path)))
    .map((path) => withCheckout(parsePage(path, readFileSync(join(clone, path), 'utf8')))) as [Page, Page | undefined]
  const first: Page = { ...readme, server: 'none' }
  if (start === undefined) return [first]
  if (start.server === 'none') return [first, start]
  return [first, { ...start, server: 'none', blocks: [...readme.blocks.filter(({ background }) => background), ...start.blocks] }]
}

/** Blocks that are not executed elsewhere because they need a checkout of the repository, or the package that is built in it. */
const needsCheckout = /\b(?:checkout|package)\b/

const withCheckout = (page: Page): Page => ({
  ...page,
  blocks: page.blocks.map(({ notExecuted, ...block }) =>
    notExecuted === undefined || needsCheckout.test(notExecuted) ? block : { ...block, notExecuted },
  ),
})

/** An empty home directory, a clone, and a new Python environment as `python3 -m venv` makes it. */
async function newMachine(repository: string, uid: number | undefined): Promise<PageEnvironment> {
  const root = mkdtempSync(join(tmpdir(), 'millrace-newcomer-'))
  const [home, folder, python, temporary] = ['home', 'millrace', 'python', 'tmp'].map((name) => join(root, name)) as [string, string, string, string]
  chmodSync(root, 0o755)
  for (const path of [home, folder, python, temporary]) {
    mkdirSync(path)
    if (uid !== undefined) chownSync(path, uid, uid)
  }
  const variables = {
    PATH: [join(python, 'bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    // Programs of another user may have left files in the shared one.
    TMPDIR: temporary,
    ...networkEnvironment(),
  }
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  try {
    // By this user, because git refuses the repository of another one.
    await run('git', ['clone', '--quiet', repository, folder])
    if (uid !== undefined) await run('chown', ['-R', `${uid}:${uid}`, folder])
    await run('python3', ['-m', 'venv', python], { cwd: root, env: variables, ...(uid !== undefined && { uid, gid: uid }) })
  } catch (error) {
    remove()
    throw error
  }
  const port = (await isFree(documentedPort)) ? documentedPort : await freePort()
  return { root, home, folder, variables, port, ...(uid !== undefined && { uid }), endProcesses: () => endProcessesOf(home), remove }
}

const isFree = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => false,
    () => true,
  )

/** What the page promises to show: the dashboard, the completed run, and its log lines. */
async function firstRunProblem(url: string): Promise<string | undefined> {
  const dashboard = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
  if (!dashboard.ok || !(await dashboard.text()).includes('<html')) return `${url}/ answers ${dashboard.status} and no page`
  const runs: { id: string; name: string; state_type: string }[] = await post(`${url}/api/flow_runs/filter`, { sort: 'START_TIME_ASC' })
  const completed = runs.find(({ state_type }) => state_type === 'COMPLETED')
  if (completed === undefined)
    return `no flow run is COMPLETED: ${runs.map(({ name, state_type }) => `${name} ${state_type}`).join(', ') || 'none exists'}`
  const logs: { message: string }[] = await post(`${url}/api/logs/filter`, { logs: { flow_run_id: { any_: [completed.id] } } })
  if (!logs.some(({ message }) => message.includes('Hello')))
    return `the run ${completed.name} has no log line with "Hello": ${logs.map(({ message }) => message).join(' / ')}`
  return undefined
}

/** Commands for a folder of the reader must not change the repository: npm installs into the nearest folder above with a package.json. */
async function checkoutProblem(clone: string): Promise<string | undefined> {
  const { stdout } = await run('git', ['-c', `safe.directory=${clone}`, '-C', clone, 'status', '--porcelain', '--untracked-files=no'])
  return stdout === '' ? undefined : `the commands changed files of the repository:\n${stdout}`
}

async function post<T>(url: string, body: unknown): Promise<T> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}
