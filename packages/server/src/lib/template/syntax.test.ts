import { describe, expect, test } from 'vitest'
import { TemplateSyntaxError } from './errors.ts'
import { checkTemplate } from './template.ts'

const good: readonly string[] = [
  '',
  'plain { text }',
  '{{ a }}',
  '{{ a.b.c[0]["d"] | upper }} {% if x and not y %}1{% elif z is defined %}2{% else %}3{% endif %}',
  '{{ a | nofilter }} {{ b is notest }}',
  '{{ {"a": {"b": 1}}}}',
  '{{ "}}" }}{% if "%}" %}{% endif %}',
  '{% set a, b = 1, 2 %}{% set x.y = 1 %}{% set z %}text{% endset %}{% set w | upper %}t{% endset %}',
  '{% for k, v in d.items() if v recursive %}{{ loop(v) }}{% else %}none{% endfor %}',
  '{% for (a, b) in c %}{% endfor %}',
  '{% macro m(a, b=2) %}{{ caller() }}{% endmacro %}{% call(x) m(1) %}{{ x }}{% endcall %}',
  '{% filter upper | replace("a", "b") %}x{% endfilter %}{% with a = 1, b = 2 %}{% endwith %}{% block t scoped %}{% endblock t %}',
  '{% include "x" %}{% import "y" as z %}{% from "a" import b as c, d with context %}{% extends "base" %}',
  '{% raw %}{{ {% {# {% endraw %}{# remark {{ #}',
  '{%- if a -%} x {%- endif +%}{{- a -}}{#- r -#}',
  '{{ a[1:2:3] }} {{ a[:] }} {{ a[1, 2] }} {{ f(*a, **b) }} {{ f(x, y=1) }}',
  '{{ 1_000 + 0x1f + 0b1 + 0o7 + 1.5e3 }} {{ -a ** +b }} {{ not a in b }} {{ a not in b }} {{ 1 < a <= 3 }}',
  '{% autoescape true %}{{ a }}{% endautoescape %}{% print a, b %}',
  '{{ a if b else c if d else e }} {{ a if b }} {{ (a, b) }} {{ () }} {{ a, b }}',
  '{{ äöü }} {{ "\\n\\x41\\u00e9" }} {{ \'a\' "b" }}',
]

const bad: readonly (readonly [template: string, line: number])[] = [
  ['{{ name ', 1],
  ['{{ }}', 1],
  ['{{ 1 + }}', 1],
  ['{{ a b }}', 1],
  ['{{ a | }}', 1],
  ['{{ a is }}', 1],
  ['{{ a is b is c }}', 1],
  ['{{ a. }}', 1],
  ['{{ a[ }}', 1],
  ['{{ a[] }}', 1],
  ['{{ (a }}', 1],
  ['{{ a) }}', 1],
  ['{{ [1, }} ', 1],
  ['{{ {"a" 1} }}', 1],
  ['{{ f(a=1, 2) }}', 1],
  ['{{ f(**a, *b) }}', 1],
  ['{{ "open }}', 1],
  ['{{ a ! b }}', 1],
  ['{{ a @ b }}', 1],
  ['{{ 1a }}', 1],
  ['{% for x in y %}', 1],
  ['{% for x y %}{% endfor %}', 1],
  ['{% for 1 in y %}{% endfor %}', 1],
  ['{% for true in y %}{% endfor %}', 1],
  ['{% endfor %}', 1],
  ['{% else %}', 1],
  ['{% if %}{% endif %}', 1],
  ['{% if a %}{% else %}{% elif b %}{% endif %}', 1],
  ['{% unknown %}', 1],
  ['{% %}', 1],
  ['{% set %}', 1],
  ['{% set 1 = 2 %}', 1],
  ['{% macro m %}{% endmacro %}', 1],
  ['{% macro m(a=1, b) %}{% endmacro %}', 1],
  ['{% call m %}{% endcall %}', 1],
  ['{% raw %}', 1],
  ['{# open', 1],
  ['{% block %}{% endblock %}', 1],
  ['{% import "x" %}', 1],
  ['line one\n{{ broken', 2],
  ['a\nb\n{% if x %}\nc\n{% endfor %}', 5],
]

describe('checkTemplate', () => {
  test.each(good)('accepts %s', (template) => {
    expect(() => checkTemplate(template)).not.toThrow()
  })
})

describe('checkTemplate', () => {
  test.each(bad)('rejects %s in line %s', (template, line) => {
    const fault = faultOf(template)
    expect(fault).toBeInstanceOf(TemplateSyntaxError)
    expect(fault?.line).toBe(line)
  })
})

function faultOf(template: string): TemplateSyntaxError | undefined {
  try {
    checkTemplate(template)
  } catch (error) {
    return error as TemplateSyntaxError
  }
  return undefined
}

describe('the number of loops', () => {
  const loop = '{% for a in x %}{% endfor %}'
  test('is limited to ten', () => {
    expect(faultOf(loop.repeat(10))).toBeUndefined()
    expect(faultOf(loop.repeat(11))?.message).toContain('11 for loops')
  })

  test('is limited to a nesting of two', () => {
    const nested = (depth: number): string => '{% for a in x %}'.repeat(depth) + '{% endfor %}'.repeat(depth)
    expect(faultOf(nested(2))).toBeUndefined()
    expect(faultOf(nested(3))?.message).toContain('3 deep')
    expect(
      faultOf(
        '{% for a in x %}{% if a %}{% else %}{% for b in a %}{% set c %}{% for d in b %}{% endfor %}{% endset %}{% endfor %}{% endif %}{% endfor %}',
      ),
    ).toBeDefined()
  })
})
