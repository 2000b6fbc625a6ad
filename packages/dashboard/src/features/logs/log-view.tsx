import type { LogFilter } from '@millrace/contracts/log.ts'
import { useMemo, useState } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { readAllLogs } from '../../api/logs.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'
import { formatLogs, levels } from './format-logs.ts'
import { LogLines } from './log-lines.tsx'
import type { LogSearch } from './log-search.ts'
import { useLogs } from './use-logs.ts'

interface LogViewProps {
  /** Source: a flow run with its task runs, or one task run. */
  readonly of: { readonly flow_run_id: string } | { readonly task_run_id: string }
  /** Used in the name of the downloaded file. */
  readonly name: string
  /** More lines may arrive. */
  readonly growing: boolean
  readonly search: LogSearch
  onSearch(change: LogSearch): void
}

/** Logs with filters by level and text. Download saves the filtered lines. */
export function LogView({ of, name, growing, search, onSearch }: LogViewProps) {
  const level = Number(search.level) || 0
  const text = search.text?.trim()
  const [wrap, setWrap] = useState(true)
  // A link to a line shows that line, not the end.
  const [follow, setFollow] = useState(growing && !location.hash.startsWith('#L'))
  const [saving, setSaving] = useState(false)
  const [[key, id]] = Object.entries(of) as [[string, string]]
  const filter = useMemo(
    (): LogFilter => ({
      [key]: { any_: [id] },
      ...(level > 0 && { level: { ge_: level } }),
      ...(text && { text: { query: text } }),
    }),
    [key, id, level, text],
  )
  const { query, logs, hasMore, more } = useLogs(filter, growing)
  const download = async () => {
    setSaving(true)
    try {
      downloadFile(`${name}.log`, formatLogs(await readAllLogs(filter)))
    } catch (error) {
      showToast('Logs not downloaded', { tone: 'bad', detail: describeError(error).detail ?? '' })
    }
    setSaving(false)
  }
  return (
    <section aria-label="Logs" className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          label="Search logs"
          placeholder='Search text, "a phrase", -exclude'
          shortcut="/"
          className="sm:max-w-72"
          value={search.text ?? ''}
          onChange={(text) => onSearch({ text: text || undefined })}
        />
        <select
          aria-label="Level"
          value={level}
          onChange={({ target }) => onSearch({ level: target.value === '0' ? undefined : target.value })}
          className="field"
        >
          {levels.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <span role="status" className="text-faint">
          {query.isSuccess && `${logs.length.toLocaleString()}${hasMore ? '+' : ''} ${logs.length === 1 ? 'line' : 'lines'}`}
        </span>
        <span className="ml-auto flex items-center gap-1">
          {growing && (
            <Button icon="tail" variant={follow ? 'plain' : 'quiet'} aria-pressed={follow} onClick={() => setFollow(!follow)}>
              Follow
            </Button>
          )}
          <IconButton icon="wrap" label="Wrap long lines" aria-pressed={wrap} onClick={() => setWrap(!wrap)} className={wrap ? 'text-accent' : ''} />
          <Button icon="download" busy={saving} onClick={() => void download()}>
            Download
          </Button>
        </span>
      </div>
      {query.isError && <ErrorState {...describeError(query.error)} onRetry={() => void query.refetch()} />}
      {query.isPending && <SkeletonRows rows={10} label="Loading logs" />}
      {query.isSuccess && logs.length === 0 && (
        <EmptyState title={level > 0 || text ? 'No results' : 'No logs'}>{growing ? 'New lines appear here as they arrive.' : undefined}</EmptyState>
      )}
      {logs.length > 0 && (
        <LogLines logs={logs} wrap={wrap} follow={follow && growing} onScrollBack={() => setFollow(false)} hasMore={hasMore} onEnd={more} />
      )}
    </section>
  )
}

/** Downloads a text as a file. */
function downloadFile(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
