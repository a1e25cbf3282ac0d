/**
 * Merges the metrics of several processes into one text in the Prometheus exposition format. Each family appears once, and
 * each sample gets the labels of its process.
 * @param parts the text of each process, with the labels to add
 */
export function mergeExpositions(parts: readonly { text: string; labels: Record<string, string> }[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>()
  for (const { text, labels } of parts) {
    const added = Object.entries(labels)
      .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
      .join(',')
    let family: { head: string[]; samples: string[] } | undefined
    for (const line of text.split('\n')) {
      const comment = /^# (?:HELP|TYPE) (\S+)/.exec(line)
      if (comment?.[1]) {
        family = families.get(comment[1]) ?? { head: [], samples: [] }
        families.set(comment[1], family)
        if (!family.head.includes(line) && family.head.length < 2) family.head.push(line)
      } else if (line !== '' && family) family.samples.push(withLabels(line, added))
    }
  }
  return [...families.values()].flatMap(({ head, samples }) => [...head, ...samples, '']).join('\n')
}

function withLabels(sample: string, added: string): string {
  const brace = sample.indexOf('{')
  if (brace !== -1) {
    const separator = sample[brace + 1] === '}' ? '' : ','
    return `${sample.slice(0, brace + 1)}${added}${separator}${sample.slice(brace + 1)}`
  }
  const space = sample.indexOf(' ')
  return `${sample.slice(0, space)}{${added}}${sample.slice(space)}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
