/** As many as fit into a routing key with what is around them (AMQP 0-9-1 section 4.2.5.3: 255 bytes). */
const longest = 200

/**
 * An event's type as words with dots between them, fit for a routing key and a subject. What is no letter, digit, `-` or
 * `_` of ASCII becomes `_`, and so does an empty word; the event's own attribute `type` keeps the original.
 */
export function eventTypeWords(eventType: string): string {
  const words = eventType.slice(0, longest).split('.')
  return words.map((word) => word.replaceAll(/[^\w-]/gu, '_') || '_').join('.')
}
