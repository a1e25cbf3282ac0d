// Passwords: a button that shows what is typed, and for a new password a bar that is full once it is long enough.

const words = document.currentScript.dataset

for (const input of document.querySelectorAll('input[type="password"]')) {
  const field = document.createElement('span')
  field.className = 'password'
  // An element that is moved loses the focus.
  const focused = input.autofocus || document.activeElement === input
  input.before(field)
  field.append(input, buttonFor(input))
  if (input.autocomplete === 'new-password') field.append(barFor(input))
  if (focused) input.focus()
}

function buttonFor(input) {
  const button = document.createElement('button')
  const [label] = input.labels
  label.id ||= `${input.id}-label`
  button.type = 'button'
  button.className = 'reveal'
  button.setAttribute('aria-controls', input.id)
  button.setAttribute('aria-describedby', label.id)
  const set = (shown) => {
    input.type = shown ? 'text' : 'password'
    button.textContent = shown ? words.hide : words.show
  }
  set(false)
  button.addEventListener('click', () => {
    set(input.type === 'password')
    input.focus()
  })
  // Browsers remember what was typed into a field for text.
  input.form.addEventListener('submit', () => set(false))
  addEventListener('pagehide', () => set(false))
  return button
}

/** Screen readers have the rule in words, and the browser's message if it is broken. */
function barFor(input) {
  const bar = document.createElement('span')
  bar.className = 'length'
  bar.ariaHidden = 'true'
  const draw = () => {
    const part = Math.min(1, [...input.value].length / input.minLength)
    bar.style.setProperty('--part', part)
    bar.classList.toggle('enough', part === 1)
  }
  input.addEventListener('input', draw)
  draw()
  return bar
}
