# Run in this folder: gnuplot fig2a_effort.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 860,480 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2a_effort.svg'
set title "Test loss above the optimal one, equal effort\nL = q = 20, M = 3000, 2000 epochs"
place(d, s) = d == 0.7 && s eq 'equilibrium' ? 0 : d == 0.7 && s eq 'one chain' ? 1 : d == 0.3 && s eq 'equilibrium' ? 2 : d == 0.3 && s eq 'one chain' ? 3 : NaN
set logscale y
set ylabel 'test loss - optimal loss (nats per site)'
set xrange [-0.5:3.5]
set xtics ("distance 0.7,\nequilibrium" 0, "distance 0.7,\none chain" 1, "distance 0.3,\nequilibrium" 2, "distance 0.3,\none chain" 3)
set yrange [0.002:1]
set bmargin 4
set key outside right
plot 'fig2a_effort.csv' using (strcol('architecture') eq 'factored' ? place(column('distance'), strcol('data')) + -0.2 : NaN):'test_excess':'test_error' with yerrorbars ls 1 ps 1.3 title 'factored attention', \
     'fig2a_effort.csv' using (strcol('architecture') eq 'encoder1' ? place(column('distance'), strcol('data')) + 0.0 : NaN):'test_excess':'test_error' with yerrorbars ls 2 ps 1.3 title 'encoder, 1 block', \
     'fig2a_effort.csv' using (strcol('architecture') eq 'encoder3' ? place(column('distance'), strcol('data')) + 0.2 : NaN):'test_excess':'test_error' with yerrorbars ls 3 ps 1.3 title 'encoder, 3 blocks'
unset output
set terminal pngcairo size 860,480 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2a_effort.png'
set title "Test loss above the optimal one, equal effort\nL = q = 20, M = 3000, 2000 epochs"
place(d, s) = d == 0.7 && s eq 'equilibrium' ? 0 : d == 0.7 && s eq 'one chain' ? 1 : d == 0.3 && s eq 'equilibrium' ? 2 : d == 0.3 && s eq 'one chain' ? 3 : NaN
set logscale y
set ylabel 'test loss - optimal loss (nats per site)'
set xrange [-0.5:3.5]
set xtics ("distance 0.7,\nequilibrium" 0, "distance 0.7,\none chain" 1, "distance 0.3,\nequilibrium" 2, "distance 0.3,\none chain" 3)
set yrange [0.002:1]
set bmargin 4
set key outside right
plot 'fig2a_effort.csv' using (strcol('architecture') eq 'factored' ? place(column('distance'), strcol('data')) + -0.2 : NaN):'test_excess':'test_error' with yerrorbars ls 1 ps 1.3 title 'factored attention', \
     'fig2a_effort.csv' using (strcol('architecture') eq 'encoder1' ? place(column('distance'), strcol('data')) + 0.0 : NaN):'test_excess':'test_error' with yerrorbars ls 2 ps 1.3 title 'encoder, 1 block', \
     'fig2a_effort.csv' using (strcol('architecture') eq 'encoder3' ? place(column('distance'), strcol('data')) + 0.2 : NaN):'test_excess':'test_error' with yerrorbars ls 3 ps 1.3 title 'encoder, 3 blocks'
unset output
