import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = '此链接只能使用一次，一小时内有效。'
const nothingHappens = '如果这不是您的操作，请忽略此邮件。不打开链接，就不会有任何变化。'

/** The mails in simplified Chinese. */
export const zhHans: MailTexts = {
  greeting: (username) => (username === undefined ? '您好：' : `${username}，您好：`),
  orOpen: '或者在浏览器中打开此地址：',
  reason: (brand) => `因为有人在 ${brand} 使用了此邮箱地址，所以发送此邮件。`,
  terms: '使用条款',
  privacy: '隐私',
  support: '帮助',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `完成 ${brand} 的注册`,
      lines: [`请设置用户名和密码，创建您的 ${brand} 账户。`],
      button: '创建账户',
      after: [onceInAnHour, nothingHappens],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `您已经有 ${brand} 账户`,
      lines: [
        `有人（可能是您）想用此邮箱地址注册 ${brand}。此地址属于账户 ${username}：请用该用户名或此邮箱地址登录。`,
        '如果您忘记了密码，可以重置密码。',
      ],
      button: '重置密码',
      after: ['如果这不是您的操作，请忽略此邮件。没有任何变化。'],
    }),
    invitation: ({ brand }) => ({
      subject: `邀请您加入 ${brand}`,
      lines: [`管理员邀请您创建 ${brand} 账户。`],
      button: '创建账户',
      after: ['此链接只能使用一次，七天内有效。', '如果您不需要账户，请忽略此邮件。'],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `重置您的 ${brand} 密码`,
      lines: [`有人（可能是您）请求重置 ${username} 在 ${brand} 的密码。`],
      button: '设置新密码',
      after: [onceInAnHour, '如果这不是您的操作，请忽略此邮件。您的密码不会改变。'],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `您的 ${brand} 密码已更改`,
      lines: [`${username} 在 ${brand} 的密码已更改：${time}。`],
      button: '不是我：重置密码',
      after: ['如果这是您的操作，则无需做任何事。'],
    }),
    address: ({ brand, username }) => ({
      subject: `确认您在 ${brand} 的邮箱地址`,
      lines: [`请确认此邮箱地址属于 ${brand} 的 ${username}。`],
      button: '确认地址',
      after: [onceInAnHour, nothingHappens],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `您在 ${brand} 的邮箱地址已更改`,
      lines: [
        `${username} 在 ${brand} 的邮箱地址已更改：${time}。新地址是 ${address}，今后不再向此地址发送邮件。`,
      ],
      after: ['如果这不是您的操作，请立即联系此服务器的管理者。'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `您的 ${brand} 账户有新的登录`,
      lines: [`${username} 在一个以前没有用过的浏览器中登录了。`],
      facts: [
        ['浏览器', browser],
        ['IP 地址', ipAddress],
        ['时间', time],
      ],
      button: '查看您的账户',
      after: ['如果这是您的操作，则无需做任何事。否则，请更改密码，并在账户页面结束该会话。'],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `您的 ${brand} 账户添加了一种登录方式`,
      lines: [`账户 ${username} 在 ${brand} 添加了通行密钥或身份验证器应用：${time}。`],
      button: '查看您的账户',
      after: ['如果这是您的操作，则无需做任何事。否则，请立即更改密码，并在账户页面检查登录方式。'],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `您的 ${brand} 账户移除了一种登录方式`,
      lines: [`账户 ${username} 在 ${brand} 移除了通行密钥或身份验证器应用：${time}。`],
      button: '查看您的账户',
      after: ['如果这是您的操作，则无需做任何事。否则，请立即更改密码，并在账户页面检查登录方式。'],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `您的 ${brand} 账户添加了一种登录方式`,
      lines: [`账户 ${username} 在 ${brand} 关联了 ${connection} 的账户：${time}。`],
      button: '查看已关联的账户',
      after: ['如果这是您的操作，则无需做任何事。否则，请立即取消关联并更改密码。'],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `您的 ${brand} 账户的恢复代码已被使用`,
      lines: [`有人用恢复代码登录了 ${brand} 的账户 ${username}:${time}。该代码已失效。`],
      button: '查看您的账户',
      after: ['如果这是您的操作，则无需做任何事。否则，请立即更改密码，并在账户页面检查登录方式。'],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `您在 ${brand} 的账户已删除`,
      lines: [
        `您在 ${brand} 的账户 ${username} 已按您的要求删除：${time}。`,
        '您已在所有地方退出登录，各应用已失去访问权限，所保存的有关您的信息也已删除。',
      ],
      after: ['如果这不是您的操作，请立即联系此服务器的管理者。'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `邀请您加入 ${brand} 上的组织`,
      lines: [`邀请您加入 ${brand} 上的一个组织。`],
      facts: [
        ['组织', organization],
        ['邀请人', inviter],
      ],
      button: '查看邀请',
      after: ['此链接只能使用一次，七天内有效。', '如果您不想加入，请忽略此邮件。'],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `${brand} 找不到您域名的 DNS 记录`,
      lines: [
        `用于证明您的组织在 ${brand} 上的域名的 DNS 记录已找不到。`,
        `如果在此时间之前记录仍未恢复，组织将失去该域名：${time}。`,
      ],
      facts: [
        ['组织', organization],
        ['域名', domain],
      ],
      button: '查看您的组织',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `您的组织在 ${brand} 失去了一个域名`,
      lines: [`用于证明您的组织在 ${brand} 上的域名的 DNS 记录已缺失七天，因此组织失去了该域名。`],
      facts: [
        ['组织', organization],
        ['域名', domain],
      ],
      button: '查看您的组织',
      after: ['如需恢复，请重新添加该记录，并在组织页面上检查域名。'],
    }),
  },
}
