import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { isExecuted } from './check-page.ts'
import { missingLine } from './expected-output.ts'
import type { Block, Page } from './page-blocks.ts'
import { createPageEnvironment, type PageEnvironment } from './page-environment.ts'
import { outputFile, writePageScript } from './page-script.ts'
import { type StartedServer, startPageServer } from './page-server.ts'

export interface PageResult {
  readonly page: string
  readonly executed: number
  readonly notExecuted: readonly { readonly line: number; readonly reason: string }[]
  readonly seconds: number
  /** What failed first, with the block and its output. */
  readonly failure?: string
}

export interface RunOptions {
  /** Folder of `python`, `pip` and `prefect`. */
  readonly python?: string
  /** Time limit of a block. */
  readonly blockSeconds?: number
  /** Creates the folder and the programs of the page, if not the usual ones. */
  readonly environment?: PageEnvironment
  /** Returns what is wrong after the last block, while the background blocks still run. */
  readonly check?: (serverUrl: string) => Promise<string | undefined>
}

/** Executes the blocks of a page from top to bottom in an empty folder, with a server of its own. */
export async function runPage(page: Page, options: RunOptions = {}): Promise<PageResult> {
  const startedAt = performance.now()
  const executed = page.blocks.filter(isExecuted).length
  const notExecuted = page.blocks.flatMap(({ line, notExecuted: reason }) => (reason === undefined ? [] : [{ line, reason }]))
  const failure = executed === 0 ? undefined : await runBlocks(page, options)
  return { page: page.path, executed, notExecuted, seconds: (performance.now() - startedAt) / 1000, ...(failure !== undefined && { failure }) }
}

async function runBlocks(page: Page, { python, blockSeconds = 60, environment = createPageEnvironment(python), check }: RunOptions) {
  let server: StartedServer | undefined
  try {
    server = await startPageServer(page, environment)
    const scripts = join(environment.root, 'blocks')
    const script = writePageScript(page, scripts, server.substitute)
    const { uid } = environment
    if (uid !== undefined) chownSync(scripts, uid, uid)
    const child = spawn('bash', [script], {
      cwd: environment.folder,
      env: { ...environment.variables, ...server.variables },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
      detached: true,
      ...(uid !== undefined && { uid, gid: uid }),
    })
    const failure = await new ScriptRun(page, child, scripts, server, blockSeconds).failure()
    return failure ?? (await check?.(`http://127.0.0.1:${server.port}`))
  } finally {
    await environment.endProcesses()
    await server?.stop()
    environment.remove()
  }
}

class ScriptRun {
  readonly #page: Page
  readonly #child: ChildProcess
  readonly #scripts: string
  readonly #server: StartedServer
  readonly #blockSeconds: number
  #current = -1
  #step = ''
  /** Exit status of background blocks that ended by themselves. */
  readonly #ended = new Map<number, number>()

  constructor(page: Page, child: ChildProcess, scripts: string, server: StartedServer, blockSeconds: number) {
    this.#page = page
    this.#child = child
    this.#scripts = scripts
    this.#server = server
    this.#blockSeconds = blockSeconds
  }

  /** Follows the script to its end, then compares the output of the blocks. */
  async failure(): Promise<string | undefined> {
    const reports = createInterface(this.#child.stdio[3] as Readable)
    let limit = this.#startLimit()
    let timedOut = false
    let reachedEnd = false
    let stuck: string | undefined
    reports.on('line', (line) => {
      const [index = '', step = '', status] = line.split(' ')
      if (step === 'ended') {
        this.#ended.set(Number(index), Number(status))
        // The next blocks need it, and would wait for it.
        if (isFailure(Number(status))) this.#kill()
        return
      }
      clearTimeout(limit)
      if (index === 'end') {
        reachedEnd = true
        return
      }
      this.#current = Number(index)
      this.#step = step
      if (step === 'background')
        void this.#waitForBackground().then((problem) => {
          stuck ??= problem
          if (problem === undefined) (this.#child.stdio[4] as Writable).write('\n')
          else this.#kill()
        })
      else
        limit = this.#startLimit(() => {
          timedOut = true
        })
    })
    const [code] = await once(this.#child, 'exit')
    clearTimeout(limit)
    // The last reports may still be in the pipe.
    if (!reachedEnd) await Promise.race([once(reports, 'close'), wait(200)])
    const mismatch = this.#failedBackground() ?? this.#outputMismatch(reachedEnd)
    if ((reachedEnd && code === 0) || mismatch !== undefined) return mismatch
    if (stuck !== undefined) return this.#describe(stuck)
    if (timedOut) return this.#describe(`did not end within ${this.#blockSeconds} seconds`)
    return this.#describe(this.#step === 'succeeded' ? 'succeeded, but is marked "fails"' : `exited with ${code}`)
  }

  #startLimit(onEnd = () => {}): NodeJS.Timeout {
    return setTimeout(() => {
      onEnd()
      this.#kill()
    }, this.#blockSeconds * 1000)
  }

  #kill(): void {
    try {
      process.kill(-(this.#child.pid as number), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }

  /** Waits until a background block has printed what the page shows below it; without that, until the page's server listens. */
  async #waitForBackground(): Promise<string | undefined> {
    const index = this.#current
    const expected = this.#page.blocks[index + 1]
    const deadline = performance.now() + this.#blockSeconds * 1000
    while (performance.now() < deadline && !this.#ended.has(index)) {
      const isReady = expected?.output
        ? missingLine(this.#server.substitute(expected.text), this.#outputOf(index)) === undefined
        : await isListening(this.#server.port)
      if (isReady) return undefined
      await wait(50)
    }
    if (expected?.output || this.#ended.get(index) === 0) return undefined
    return this.#ended.has(index) ? `exited with ${this.#ended.get(index)}` : `the page's server does not listen after ${this.#blockSeconds} seconds`
  }

  #failedBackground(): string | undefined {
    for (const [index, status] of this.#ended)
      if (isFailure(status))
        return describeFailure(this.#page.blocks[index], `exited with ${status}`, this.#page.blocks[index], this.#outputOf(index))
    return undefined
  }

  /** Of the blocks that have ended. A block that failed is reported by its exit status. */
  #outputMismatch(hasEnded: boolean): string | undefined {
    for (const [index, block] of this.#page.blocks.entries()) {
      const above = index - 1
      if (!block.output || (!hasEnded && above >= this.#current)) continue
      const missing = missingLine(this.#server.substitute(block.text), this.#outputOf(above))
      if (missing !== undefined)
        return describeFailure(block, `the output lacks the line ${JSON.stringify(missing)}`, this.#page.blocks[above], this.#outputOf(above))
    }
    return undefined
  }

  #describe(problem: string): string {
    const block = this.#page.blocks[this.#current]
    const what = this.#step === 'before' ? `the preparation ${problem}` : problem
    return describeFailure(block, what, block, this.#outputOf(this.#current))
  }

  #outputOf(index: number): string {
    const path = outputFile(this.#scripts, index)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
}

function describeFailure(place: Block | undefined, problem: string, executed: Block | undefined, output: string): string {
  return [
    `${place?.page}:${place?.line}: ${problem}`,
    ...(executed?.before ? ['  preparation:', indent(executed.before)] : []),
    '  block:',
    indent(executed?.text ?? ''),
    '  output:',
    indent(output.trimEnd().split('\n').slice(-60).join('\n')),
  ].join('\n')
}

/** SIGINT and SIGTERM end a block in the background as intended. */
const isFailure = (status: number): boolean => ![0, 130, 143].includes(status)

const indent = (text: string): string => text.replaceAll(/^/gm, '    ')

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
