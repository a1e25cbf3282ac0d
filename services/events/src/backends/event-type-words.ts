/** How much of the type fits into a routing key with the text around it (AMQP 0-9-1 section 4.2.5.3: 255 bytes). */
const longest = 200

/**
 * Turns an event's type into words separated by dots, for a routing key or a subject. Every character except ASCII
 * letters, digits, `-` and `_` becomes `_`, and so does an empty word. The attribute `type` of the event keeps the original.
 */
export function eventTypeWords(eventType: string): string {
  const words = eventType.slice(0, longest).split('.')
  return words.map((word) => word.replaceAll(/[^\w-]/gu, '_') || '_').join('.')
}
