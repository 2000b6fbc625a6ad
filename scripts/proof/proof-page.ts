import { allProofs } from './all-proofs.ts'
import type { Proof } from './proof.ts'
import { type ProofResult, readProofResults } from './results-file.ts'

const databaseTitles: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL', none: '–' }

const introduction = `# Proofs

Generated from \`docs/proofs/results.json\` and \`scripts/proof\` by \`npm run proof -- --write\`; edit those.

After reading this page you know what Millrace promises when processes, disks, clocks and databases fail, how each promise is tested, and how to repeat the
test. Every proof starts real servers from this repository. Clients record each response, and at the end the record is compared with the database.

\`\`\`sh not-executed="takes up to two hours"
npm run proof -- --list             # what there is
npm run proof -- R1 R3 --size 0.1   # two proofs at a tenth of their full size
npm run proof                       # all, in at most two hours
npm run proof -- R1 --seed 7        # the same random choices again
\`\`\`

A proof that fails prints the folder with its evidence (logs of the servers, the record of requests) and exits with code 1. Quick forms of the proofs run with
\`npm test\`. A row marked *shared* was measured while other programs used the machine, which makes its times longer.
`

/** docs/proofs.md. */
export function proofPage(results: readonly ProofResult[] = readProofResults().results, proofs: readonly Proof[] = allProofs): string {
  return [introduction, '## Results\n', table(results, proofs), '## How each proof works\n', ...proofs.map(describe)].join('\n')
}

function table(results: readonly ProofResult[], proofs: readonly Proof[]): string {
  const head = ['| promise | database | figure | asked | measured | size | date | machine | command |', '|---|---|---|---|---|---|---|---|---|']
  const rows = proofs.flatMap((proof) => {
    const own = results.filter(({ id }) => id === proof.id)
    return own.length === 0 ? [`| ${proof.id}: ${proof.promise} | | | | not run yet | | | | |`] : own.flatMap((result) => resultRows(proof, result))
  })
  return `${[...head, ...rows].join('\n')}\n`
}

function resultRows({ id, promise, databases }: Proof, result: ProofResult): string[] {
  const { machine, size, seed, database } = result
  const options = [...(databases.length > 1 ? [`--database ${database}`] : []), `--size ${size}`, `--seed ${seed}`].join(' ')
  const shared = (result.foreign_cores ?? 0) > 0.2 ? `, *shared* (${result.foreign_cores} cores)` : ''
  const place = `${machine.cores} cores, ${machine.processor}, ${machine.memory_gb} GB${shared}`
  const about = `${result.amount} in ${Math.round(result.seconds)} s`
  const end = `${about} | ${result.date.slice(0, 10)} | ${place} | \`npm run proof -- ${id} ${options}\` |`
  const start = `| ${id}: ${promise} | ${databaseTitles[database] ?? database}`
  if (result.skipped !== undefined) return [`${start} | | | skipped: ${result.skipped} | ${end}`]
  return result.figures.map(
    ({ name, asked, measured, passed }, index) =>
      `${index === 0 ? start : '| |'} | ${name} | ${asked} | ${passed ? measured : `**${measured}** (failed)`} | ${index === 0 ? end : '| | | |'}`,
  )
}

const describe = ({ id, promise, method, failure, full }: Proof): string =>
  `### ${id}: ${promise}\n\n${method} Full size: ${full.amount.toLocaleString('en')} ${full.unit}.\n\n**Failure:** ${failure}\n`
