# Printed by `blogapi service windows`. Registers the task `blogapi`, as administrator.
$ErrorActionPreference = 'Stop'

# S-1-5-19 is LOCAL SERVICE, whose name depends on the language of Windows. It may change the files of the blog.
foreach ($folder in {folders}) {{
    icacls $folder /grant '*S-1-5-19:(OI)(CI)M'
    if ($LASTEXITCODE -ne 0) {{ throw "icacls failed for $folder" }}
}}

# cmd.exe writes the output of the service into a file.
$action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" -Argument {arguments}

# The second trigger starts the blog again if it has ended; while it runs, this trigger does nothing.
$triggers = (New-ScheduledTaskTrigger -AtStartup),
    (New-ScheduledTaskTrigger -Once -At (Get-Date) -RepetitionInterval (New-TimeSpan -Minutes 1))

# By default, Windows ends a task after 72 hours, runs it with low priority, and not on battery.
$settings = New-ScheduledTaskSettingsSet -ExecutionTimeLimit ([TimeSpan]::Zero) -Priority 5 `
    -RestartCount 255 -RestartInterval (New-TimeSpan -Minutes 1) -MultipleInstances IgnoreNew `
    -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -StartWhenAvailable

$account = New-ScheduledTaskPrincipal -UserId 'S-1-5-19' -LogonType ServiceAccount
Register-ScheduledTask -TaskName blogapi -Action $action -Trigger $triggers -Settings $settings `
    -Principal $account -Force
