import { Switch as Radix } from 'radix-ui'
import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react'
import { classNames } from './classes.ts'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly required?: boolean
}

interface FieldWrapperProps extends FieldProps {
  /** Receives the attributes that connect the control to its label and hints. */
  children(control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }): ReactNode
}

export function Field({ label, hint, error, required = false, children }: FieldWrapperProps) {
  const id = useId()
  const said = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {required && <span className="text-danger"> *</span>}
      </label>
      {children({ id, 'aria-describedby': said, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-faint text-sm">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-danger text-sm">
          {error}
        </p>
      )}
    </div>
  )
}

type ControlProps<A> = FieldProps & Omit<A, keyof FieldProps | 'id' | 'children'>

export function TextField({ label, hint, error, required, className, ...rest }: ControlProps<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <Field label={label} hint={hint} error={error} required={required ?? false}>
      {(control) => <input {...control} {...rest} required={required} className={classNames('field w-full', error && 'border-danger', className)} />}
    </Field>
  )
}

export function TextAreaField({ label, hint, error, required, className, ...rest }: ControlProps<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Field label={label} hint={hint} error={error} required={required ?? false}>
      {(control) => (
        <textarea {...control} rows={4} {...rest} required={required} className={classNames('field w-full', error && 'border-danger', className)} />
      )}
    </Field>
  )
}

interface SelectProps extends ControlProps<SelectHTMLAttributes<HTMLSelectElement>> {
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

export function SelectField({ label, hint, error, required, options, className, ...rest }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error} required={required ?? false}>
      {(control) => (
        <select {...control} {...rest} className={classNames('field w-full', className)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface SwitchProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly disabled?: boolean
}

export function Switch({ label, hint, checked, onChange, disabled = false }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        className="relative mt-0.5 h-5 w-9 shrink-0 rounded-full bg-edge transition-colors data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <Radix.Thumb className="block size-4 translate-x-0.5 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-4.5" />
      </Radix.Root>
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && <p className="text-faint text-sm">{hint}</p>}
      </div>
    </div>
  )
}

interface CheckboxProps {
  readonly label: string
  readonly checked: boolean | 'some'
  onChange(checked: boolean): void
}

/** Checkbox without a visible label, for table rows. */
export function Checkbox({ label, checked, onChange }: CheckboxProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      ref={(input) => {
        if (input) input.indeterminate = checked === 'some'
      }}
      checked={checked === true}
      onChange={(event) => onChange(event.target.checked)}
      className="check"
    />
  )
}
