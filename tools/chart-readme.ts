import { readFileSync } from 'node:fs'
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'

const chart = new URL('../deploy/helm/gatehouse/', import.meta.url)
const begin = '<!-- Written by `npm run generate` from values.yaml. Do not edit from here. -->'

/** The chart's README.md: the handwritten text, and a table of all values with the comments above them. */
export function chartReadme(): string {
  const [written] = readFileSync(new URL('README.md', chart), 'utf8').split(begin)
  const { contents } = parseDocument(readFileSync(new URL('values.yaml', chart), 'utf8'))
  const head = '\n\n## Values\n\n| Value | Default | What it is |\n|---|---|---|\n'
  return `${written}${begin}${head}${rowsOf(contents as YAMLMap, '').join('')}`
}

/** A row for each key with a comment, and for the keys below it that have comments of their own. */
function rowsOf(map: YAMLMap, above: string): string[] {
  return (map.items as Pair[]).flatMap((pair, index) => {
    const name = `${above}${pair.key}`
    const comment = commentOf(map, index)
    const inner = isMap(pair.value) && isExplained(pair.value) ? pair.value : undefined
    const sameAsDefaults = /^\w+\.resources$/.test(name) ? 'As in `defaults`, for this one.' : undefined
    if (!comment && !inner && !sameAsDefaults) throw new Error(`values.yaml: ${name} has no comment`)
    const standard = inner ? '' : `\`${JSON.stringify(pair.value)}\``
    const text = comment ?? sameAsDefaults
    const row = text ? [`| \`${name}\` | ${standard} | ${text} |\n`] : []
    return [...row, ...(inner ? rowsOf(inner, `${name}.`) : [])]
  })
}

/** Whether any of its keys has a comment. */
function isExplained(map: YAMLMap): boolean {
  return map.items.some(({ value }, index) => commentOf(map, index) || (isMap(value) && isExplained(value)))
}

/** The comment right above a key, as one line. The parser assigns the comment above the first key to the map. */
function commentOf(map: YAMLMap, index: number): string | undefined {
  const key = map.items[index]?.key
  const comment = (isScalar(key) && key.commentBefore) || (index === 0 && map.commentBefore) || ''
  return comment.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|') || undefined
}
