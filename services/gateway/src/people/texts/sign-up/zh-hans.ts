import type { Texts } from './en.ts'

export const texts = {
  title: '注册',
  heading: '创建账户',
  lead: '我们会给您发送一封带有链接的邮件。打开链接，设置用户名和密码。',
  haveAccount: '我已有账户：登录',
  sent: (address) => `我们已向 ${address} 发送邮件。请打开其中的链接创建账户。`,
  sentHint: '链接一小时内有效。如果没有收到邮件，请查看垃圾邮件文件夹，并检查地址。',
  anotherAddress: '输入其他地址',
  closed: '此服务器不开放注册。请向管理员申请账户。',
  confirmed: (address) => `您的地址 ${address} 已确认。请设置登录方式。`,
  username: '用户名',
  usernameHint: '您的邮箱地址，或不含空格的其他名称。两者都可以用来登录。',
  password: '密码',
  submit: '创建账户',
  again: '重新注册',
  logIn: '登录',
} satisfies Texts
