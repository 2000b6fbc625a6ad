import { TextAreaField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'

interface JsonEditorProps {
  readonly text: string
  readonly error: string | undefined
  readonly errors: Readonly<Record<string, string>>
  onChange(text: string): void
}

/** Automation as JSON, with server errors listed by path. */
export function JsonEditor({ text, error, errors, onChange }: JsonEditorProps) {
  return (
    <Panel title="JSON">
      <div className="flex flex-col gap-3 p-4">
        <TextAreaField
          label="Automation"
          rows={Math.max(18, Math.min(48, text.split('\n').length))}
          spellCheck={false}
          className="font-mono text-sm"
          value={text}
          error={error}
          onChange={(event) => onChange(event.target.value)}
        />
        {Object.keys(errors).length > 0 && (
          <ul className="flex flex-col gap-1 text-danger text-sm">
            {Object.entries(errors).map(([path, message]) => (
              <li key={path}>
                <code className="font-mono">{path}</code>: {message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  )
}
