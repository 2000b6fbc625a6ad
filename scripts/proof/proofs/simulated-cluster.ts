import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { repositoryRoot } from '../../repository.ts'
import { exactly, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'

async function run(run: ProofRun) {
  const args = ['run', '--silent', 'sim', '--', '--seeds', `${run.seed}..${run.seed + run.amount - 1}`]
  const child = spawn('npm', args, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] })
  run.defer(() => child.kill('SIGKILL'))
  let last = ''
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (piece: Buffer) => {
      run.record('sim.log', piece.toString().trimEnd())
      last = piece.toString().trim().split('\n').at(-1) ?? last
    })
  }
  const [code] = await once(child, 'exit')
  return [exactly('exit code of the simulator', Number(code), 0), observed('last line', last)]
}

export const simulatedCluster: Proof = {
  id: 'R19',
  promise: 'simulated clusters keep all invariants under delays, losses, crashes, freezes and clock jumps',
  databases: ['none'],
  full: { amount: 10_000, unit: 'seeds' },
  method: 'Runs `npm run sim` with consecutive seeds: whole clusters in one process under a virtual clock. A failing seed replays exactly.',
  failure: 'A seed breaks an invariant.',
  run,
}
