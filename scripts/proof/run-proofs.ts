import { execFileSync } from 'node:child_process'
import { describeDisturbance, describeMachine, readMachineTime } from '../../packages/bench/src/machine.ts'
import { readUsage } from '../../packages/bench/src/process-usage.ts'
import { repositoryRoot } from '../repository.ts'
import type { Figure } from './figure.ts'
import type { ProofSettings } from './options.ts'
import type { Proof } from './proof.ts'
import { type DatabaseName, ProofRun } from './proof-run.ts'
import { type ProofResult, readProofResults, withResult, writeProofResults } from './results-file.ts'

/** Runs the proofs one after the other. Returns whether all passed. */
export async function runProofs(settings: ProofSettings, signal: AbortSignal): Promise<boolean> {
  const results: ProofResult[] = []
  for (const proof of settings.proofs) {
    for (const database of proof.databases) {
      if (settings.database !== undefined && database !== 'none' && database !== settings.database) continue
      signal.throwIfAborted()
      const result = await runProof(proof, database, settings, signal)
      results.push(result)
      if (settings.isWritten) writeProofResults(withResult(readProofResults(), result))
    }
  }
  const failed = results.filter(({ passed }) => !passed)
  const skipped = results.filter((result) => result.skipped !== undefined)
  console.log(`\n${results.length - failed.length - skipped.length} passed, ${failed.length} failed, ${skipped.length} skipped`)
  return failed.length === 0
}

async function runProof(proof: Proof, database: DatabaseName | 'none', settings: ProofSettings, signal: AbortSignal): Promise<ProofResult> {
  const size = settings.size ?? proof.usualSize ?? 1
  const seed = settings.seed ?? Math.floor(Math.random() * 2 ** 31)
  const title = database === 'none' ? proof.id : `${proof.id} (${database})`
  console.log(`\n# ${title}: ${proof.promise}\nseed ${seed}, size ${size}`)
  const run = new ProofRun(proof.id, proof.full, { database, size, seed, signal, log: (line) => console.log(`  ${line}`) })
  const missing = proof.missing?.()
  const watch = startWatch()
  const figures: Figure[] = []
  if (missing === undefined) {
    try {
      figures.push(...(await proof.run(run)))
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      run.log(text)
      figures.push({ name: 'completed', asked: 'yes', measured: (error instanceof Error ? error.message : text).split('\n')[0] ?? '', passed: false })
    }
  } else console.log(`  skipped: ${missing}`)
  const passed = figures.every((figure) => figure.passed)
  for (const figure of figures)
    run.log(`${figure.passed ? 'ok  ' : 'FAIL'}  ${figure.name}: ${figure.measured}${figure.asked === '–' ? '' : ` (asked ${figure.asked})`}`)
  const keeps = !passed || settings.keepsEvidence
  await run.close(keeps)
  const { seconds, foreignCores } = watch()
  console.log(`  ${run.amountText}, ${seconds.toFixed(0)} s${foreignCores === null ? '' : `, other programs used ${foreignCores} cores`}`)
  if (keeps) console.log(`  evidence: ${run.folder}`)
  return {
    id: proof.id,
    database,
    passed,
    figures,
    size,
    amount: run.amountText,
    seed,
    seconds: Number(seconds.toFixed(1)),
    date: new Date().toISOString(),
    commit: currentCommit(),
    machine: describeMachine(),
    foreign_cores: foreignCores,
    ...(missing === undefined ? {} : { skipped: missing }),
  }
}

/** Measures the time, and how much of the machine other programs used. */
function startWatch(): () => { seconds: number; foreignCores: number | null } {
  const began = performance.now()
  const machine = readMachineTime()
  const own = readUsage([process.pid])
  return () => {
    const seconds = (performance.now() - began) / 1000
    const machineAfter = readMachineTime()
    const ownAfter = readUsage([process.pid])
    if (!machine || !machineAfter || !own || !ownAfter) return { seconds, foreignCores: null }
    const used = ownAfter.cpuSeconds - own.cpuSeconds
    return { seconds, foreignCores: describeDisturbance(machine, machineAfter, seconds, used, describeMachine().cores).foreignCores }
  }
}

function currentCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { encoding: 'utf8', cwd: repositoryRoot }).trim()
  } catch {
    return 'unknown'
  }
}
