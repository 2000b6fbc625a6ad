import type { Block, Page } from './page-blocks.ts'
import { quote } from './page-script.ts'

/** Turns the examples of docs/cli.md into a page that can run: each on a server that has what the examples name. */
export function cliExamplesPage(markdown: string): Page {
  const blocks: Block[] = []
  let command = ''
  let isExample = false
  let isFirst = false
  for (const [index, line] of markdown.split('\n').entries()) {
    if (line.startsWith('### millrace ')) command = line.slice('### millrace '.length)
    if (line === 'Examples:') isExample = isFirst = true
    else if (!line.startsWith('  millrace ')) isExample = false
    else if (isExample) {
      blocks.push(exampleBlock(command, line.trim().replace(/ {2,}# .*$/, ''), index + 1, isFirst))
      isFirst = false
    }
  }
  const [first, ...others] = blocks
  const started = first === undefined ? [] : [{ ...first, before: `${start}\n${first.before}` }, ...others]
  return { path: 'docs/cli.md', blocks: started, server: 'sqlite', needs: new Set(['minutes']), problems: [] }
}

function exampleBlock(command: string, line: string, lineNumber: number, isFirst: boolean): Block {
  const reason = notExecuted.find(([pattern]) => pattern.test(line))?.[1]
  const shared = { page: 'docs/cli.md', line: lineNumber, language: 'sh', background: false, fails: false, output: false } as const
  if (reason !== undefined) return { ...shared, text: line, before: '', notExecuted: reason }
  const noun = command.split(' ')[0] as string
  const preparation = preparations.filter(([pattern]) => pattern.test(line)).map(([, lines]) => lines)
  const isChanged = isFirst || /\b(?:delete|create|cancel|update)\b/.test(command)
  const before = [...(isChanged && !localNouns.has(noun) ? [seed] : []), ...preparation].join('\n')
  return { ...shared, text: executable(line), before }
}

/** With ids that exist, with an end if it runs until Ctrl-C, and in a terminal if it asks. */
function executable(line: string): string {
  const text = line
    .replaceAll(/\b0196f3a2-[\w-]+|\b0199f0a1-[\w-]+/g, '$id')
    .replaceAll('6f1e…', '$id')
    .replace(' | jq .payload', '')
    .replaceAll('/backups', '$HOME/backups')
    .replaceAll('/run/secrets', '$HOME')
  if (followed.test(line)) return `timeout --signal=INT 3 bash -c ${quote(text)} || [ $? = 124 ]`
  return asking.test(line) ? `yes | script --quiet --return --command ${quote(text)} /dev/null` : text
}

/** Commands that end with Ctrl-C. */
const followed = /(?: -f\b| --watch\b|\btail\b(?!.*--limit)|^millrace (?:dev\b|server start(?!.*--background)|server services start))/

/** Commands that ask before they change something. */
const asking =
  /^millrace (?:(?:artifact delete daily-report|flow delete etl|deployment delete etl\/prod|flow-run cancel brave-otter|flow-run retry --flow etl --since 1d|restore backups\/millrace-20260301T030000Z\.db)$)/

const notExecuted: readonly (readonly [RegExp, string])[] = [
  [/^millrace bench/, 'measures for minutes; packages/cli/test/bench.test.ts runs it with small figures'],
  [/^millrace adopt/, 'needs the database of a Prefect server; docs/adopt.md is executed'],
  [/millrace\.example\.com/, 'needs a server on another machine'],
  [/page-token=abc/, 'needs a token of an earlier response'],
  [/s3-bucket|aws/, 'needs the block types of a Python package'],
]

/** Commands that need no server with data. */
const localNouns = new Set(['server', 'dev', 'db', 'backup', 'restore', 'doctor', 'config', 'profile', 'completion', 'secrets', 'retention'])

const seed = 'seed'

/** A SQLite database has one writer. */
const stopServers = 'millrace server stop || true'

const json = (value: unknown): string => quote(JSON.stringify(value))

const seedFile = {
  version: 1,
  work_pools: [{ name: 'k8s', type: 'kubernetes' }],
  work_queues: ['urgent', 'batch'].map((name) => ({ work_pool: 'k8s', name })),
  concurrency_limits: [{ name: 'database', limit: 10 }],
  tag_concurrency_limits: [{ tag: 'gpu', concurrency_limit: 2 }],
  variables: [{ name: 'region', value: 'eu-west-1' }],
  flows: [{ name: 'etl' }],
  deployments: ['prod', 'test'].map((name) => ({
    flow: 'etl',
    name,
    work_pool: 'k8s',
    schedules: [{ cron: '0 2 * * *', slug: 'nightly' }],
  })),
  automations: [
    {
      name: 'Notify on failure',
      trigger: { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'] },
      actions: [{ type: 'do-nothing' }],
    },
  ],
  block_documents: [{ type: 'secret', name: 'api-key', data: { value: 'x' } }],
}

/** Functions that the preparations call, and files that the examples name. */
const start = [
  `echo ${json(seedFile)} > ~/seed.json`,
  'seed() { millrace import ~/seed.json > ~/seed.log; }',
  'id_of() { node -pe \'const found = JSON.parse(require("fs").readFileSync(0, "utf8")); (Array.isArray(found) ? found[0] : found).id\'; }',
  'new_run() { millrace flow-run delete --flow etl --upcoming --yes > ~/seed.log 2>&1; millrace deployment run etl/prod --name brave-otter -o json | id_of; }',
].join('\n')

/** What an example needs beside the seed. All that match are executed in this order. */
const preparations: readonly (readonly [RegExp, string])[] = [
  [/^millrace (?:flow-run (?!ls)|task-run|log)/, 'id=$(new_run)'],
  [/^millrace flow-run watch/, "millrace flow-run set-state brave-otter Completed --force\nprintf '#!/bin/sh\\n' > deploy.sh && chmod +x deploy.sh"],
  [/^millrace flow-run retry/, 'millrace flow-run set-state brave-otter Failed --force'],
  [/^millrace flow-run resume/, 'millrace flow-run set-state brave-otter Paused --force'],
  [
    /load-3/,
    'millrace api POST /task_runs/ --data "{\\"flow_run_id\\": \\"$id\\", \\"task_key\\": \\"load\\", \\"dynamic_key\\": \\"3\\", \\"name\\": \\"load-3\\"}"',
  ],
  [/^millrace artifact/, `id=$(millrace api POST /artifacts/ --data ${json({ key: 'daily-report', type: 'markdown', data: '# Report' })} | id_of)`],
  [/@params\.json/, `echo ${json({ rows: 1000 })} > params.json`],
  [
    /template\.json|template\.yaml/,
    'millrace work-pool get-default-base-job-template --type kubernetes > template.json\nmillrace work-pool get-default-base-job-template --type kubernetes -o yaml > template.yaml',
  ],
  [/work-pool create k8s/, 'millrace work-pool delete k8s --yes'],
  [/work-pool create local/, 'millrace work-pool delete local --yes || true'],
  [/work-queue create (\S+)/, 'for queue in urgent batch; do millrace work-queue delete k8s/$queue --yes; done'],
  [/worker-7/, `millrace api POST /work_pools/k8s/workers/heartbeat --data ${json({ name: 'worker-7' })}`],
  [/concurrency create/, 'for limit in database mail tag:gpu; do millrace concurrency delete $limit --yes || true; done'],
  [/notify\.yaml/, 'millrace automation inspect "Notify on failure" -o yaml > notify.yaml'],
  [/automation create/, 'millrace automation delete "Notify on failure" --yes'],
  [/profile prod|profile (?:use|inspect|delete)/, 'millrace profile create prod --url $MILLRACE_API_URL --use || true'],
  [/profile create local/, 'millrace profile delete local --yes || true'],
  [/prefect\.deployment\./, 'id=$(millrace deployment inspect etl/prod -o json | id_of)'],
  [/event inspect/, 'millrace event emit order.paid --resource shop.order.17\nid=$(millrace event ls --name order.paid -o json | id_of)'],
  [/event tail .*--limit/, '(sleep 1; millrace event emit order.paid --resource shop.order.17) &'],
  [/@rows\.json/, `echo ${json({ rows: 3 })} > rows.json`],
  [/variable\.json/, `millrace variable delete fresh --yes || true\necho ${json({ name: 'fresh', value: 1 })} > variable.json`],
  [/key\.txt/, 'echo secret > key.txt'],
  [/block create --type secret/, 'millrace block delete secret/api-key --yes'],
  [/alerts\.yaml/, "echo 'url: https://hooks.example/1' > alerts.yaml"],
  [/^millrace import/, 'millrace export --file millrace.yaml\nmillrace export --dir config/\nmillrace export deployments --file deployments.yaml'],
  [/^millrace (?:server start|dev|db (?!size)|backup|restore|doctor --repair|retention include|secrets)/, stopServers],
  [
    /^millrace (?:server (?:stop|status|ls|services ls)|db size|retention show|export|api|config|profile)/,
    'millrace server start --background || true',
  ],
  [/stop --port 4300/, 'MILLRACE_DATABASE_URL=sqlite:other.db millrace server start --port 4300 --background'],
  [/staging\.env/, 'echo MILLRACE_SERVER_LOG_LEVEL=info > staging.env'],
  [/postgres:\/\/.*\/millrace/, 'millrace db migrate --database postgres://user@db/millrace'],
  [
    /restore backups/,
    'mkdir -p backups && rm -f backups/* && millrace backup --file backups/millrace-20260301T030000Z.db && millrace backup --compress --file backups/millrace-20260301T030000Z.db.zst',
  ],
  [
    /restore millrace\.dump/,
    'rm -f millrace.dump && millrace backup --database postgres://user@db/millrace --file millrace.dump && dropdb millrace && createdb millrace',
  ],
  [/new-key-file/, 'head -c 32 /dev/urandom | base64 > ~/millrace-key'],
  [/^millrace completion/, 'mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions'],
]
