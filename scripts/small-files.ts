import { isTest, listSourceFiles, readSource } from './repository.ts'

const folder = 'packages/server/src'
const linesMin = 30

interface Reason {
  /** Below `packages/server/src`. */
  readonly files: RegExp
  readonly why: string
}

/** Each small file costs a reader a hop. These stay apart for a reason. */
const reasons: readonly Reason[] = [
  { files: /^orchestration\/rules\//, why: 'one rule per file' },
  { files: /^services\//, why: 'one service per file' },
  { files: /^config\/telemetry-settings\.ts$/, why: 'a group of settings, whose file is full' },
  { files: /^adopt\/steps\//, why: 'one step per table' },
  { files: /^(?:domains\/[^/]+|automations)\/(?:events|filter|response|routes|store)\.ts$/, why: 'every noun has the same files' },
  { files: /^domains\/(?:flows\/create-flow|flow-runs\/expire-pauses)\.ts$/, why: 'one operation per file' },
  { files: /^domains\/(?:empty-criteria|field-changes|merge-labels|schema-validator)\.ts$/, why: 'shared by several nouns' },
  {
    files: /^domains\/blocks\/(?:json-object|system-blocks\/system-block|worker-types\/all-workers)\.ts$/,
    why: 'shared by one definition file per kind of block',
  },
  { files: /^domains\/deployments\/hydration-context\.ts$/, why: 'reads the database for hydrate.ts, which is pure' },
  { files: /^orchestration\/(?:jitter|limits)\.ts$/, why: 'shared by several rules' },
  { files: /^http\/(?:auth|csrf|compress|read-query|request-limit)\.ts$/, why: 'one step of a request per file' },
  { files: /^http\/(?:no-route-error|response-end|response-headers)\.ts$/, why: 'shared by several steps of a request' },
  { files: /^http\/send-budget\.ts$/, why: 'pure, with a test of its own' },
  { files: /^config\/(?:backups|closest-match|exposure|processes)\.ts$/, why: 'pure, with a test of its own' },
  { files: /^lib\/template\//, why: 'part of the interpreter that other parts share; merging would close an import cycle' },
  { files: /^lib\/schedule\/invalid-schedule\.ts$/, why: 'merging would close an import cycle' },
  { files: /^lib\/[^/]+\.ts$/, why: 'lib has one small pure module per file' },
  { files: /^(?:schemas\/schema-worker|storage\/sqlite\/backup-process)\.ts$/, why: 'entry point of a thread or process' },
  { files: /^storage\/row-factory\.ts$/, why: 'one step of both databases' },
  { files: /^storage\/(?:foreign-database|incremental-vacuum|sqlite\/file-permissions)\.ts$/, why: 'one task of start-up or maintenance' },
  { files: /^adopt\/(?:finalize|standard-json|source\/(?:open-source|source))\.ts$/, why: 'interface of a source, or the last step' },
  { files: /^events\/outbox\.ts$/, why: 'the only way to emit' },
  { files: /^version\.ts$/, why: 'read by scripts' },
]

/** A line for each small file without a reason, and for each reason without a small file. */
export function smallFileViolations(root: string): string[] {
  const small = listSourceFiles(root)
    .filter((path) => path.startsWith(`${folder}/`) && !isTest(path))
    .filter((path) => readSource(root, path).trimEnd().split('\n').length < linesMin)
    .map((path) => path.slice(folder.length + 1))
  const unexplained = small.filter((path) => !reasons.some(({ files }) => files.test(path)))
  const unused = reasons.filter(({ files }) => !small.some((path) => files.test(path)))
  return [
    ...unexplained.map(
      (path) => `${folder}/${path}: shorter than ${linesMin} lines. Merge it into the file that uses it, or give a reason in scripts/small-files.ts.`,
    ),
    ...unused.map(({ files }) => `scripts/small-files.ts: no small file matches ${files}. Remove the reason.`),
  ]
}
